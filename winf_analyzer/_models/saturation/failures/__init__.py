"""Why attempts failed: the channel, or a collision.

::

    losses              why attempts failed, over a whole recording
    loss_posterior      what the failures leave open about the channel
    shown_collisions    how many collisions show, and what became of them
    collision_survival  how many collisions destroy
    capture_effect      frames that survive what a hidden station begins during them
    outlasting          aggregates that outlast what they collide with
    first_and_later     first attempts beside repetitions
    by_attempt          links whose first attempts fail more often than repetitions
    lasting             links whose repetitions fail more often than first attempts
    unrepeated          data that is never sent again
    traced_collisions   collisions that a simulator's trace shows
"""
