"""Agreement of the replay engine with what others computed; each study is one command that writes its table."""
