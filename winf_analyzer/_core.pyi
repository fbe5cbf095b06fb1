"""Native half of winf_analyzer."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Final, final

__all__ = [
    "DEBUG_BUILD",
    "FORMAT_VERSION",
    "Ack",
    "ArrowSchema",
    "ArrowTable",
    "BusyTime",
    "Congestion",
    "Correlation",
    "CrossLayer",
    "DecoderUnavailable",
    "ExchangeSample",
    "FlowSetup",
    "FlowView",
    "Follower",
    "FrameCounts",
    "GroupIds",
    "HeadOfLine",
    "HiddenEvidence",
    "LinkEvidence",
    "LinkSetup",
    "LinkView",
    "NodeSetup",
    "Packet",
    "Replay",
    "ReplayRun",
    "SequenceGaps",
    "SequenceSteps",
    "Smoothing",
    "TableStream",
    "UnusableRecording",
    "__version__",
    "check_decoder",
    "controllers",
    "dcf_monte_carlo",
    "exchanges",
    "first_ns",
    "formats",
    "frames",
    "group_sums",
    "has_max_min",
    "ingest",
    "ingest_together",
    "merge",
    "ordered_sums",
    "parquet_footer",
    "parquet_metadata",
    "phy_constants",
    "plateau_evidence",
    "reason_codes",
    "recognize",
    "replay",
    "solve_stations",
    "status_codes",
    "survey",
    "tables",
    "world_from_toml",
    "write_part",
]

__version__: Final[str]
DEBUG_BUILD: Final[bool]
FORMAT_VERSION: Final[int]

class DecoderUnavailable(Exception):
    """The decoder is not installed or too old; the message says what to do."""

class UnusableRecording(Exception):
    """Nothing in the input can be used; the message says why."""

@final
class Follower:
    """A recording that is still being written, into one part of a dataset after the other."""

    def __new__(cls, path: str | PathLike[str], source: str, part: str, *, observer: str | None = None) -> Follower: ...
    def complete(self, stopped: bool) -> None:
        """Takes the file's present end for its end; when the user stopped it, a cut record there is no damage."""

    def write_part(
        self,
        dataset: str | PathLike[str],
        seconds: float,
        most_frames: int,
        stop: Callable[[], bool],
    ) -> tuple[int, bool]:
        """Writes the next part below a dataset folder. Returns its number of frames, and whether more may follow."""

    def summary(self) -> str | None:
        """What was read so far as JSON, like that of `ingest`; None before the first part."""

@final
class FrameCounts:
    """What stations sent and who heard them; any thread may add to it."""

    def __new__(cls) -> FrameCounts: ...
    def add(self, other: FrameCounts) -> None:
        """Adds the counts of other recordings, which are then empty."""

    def add_part(self, path: str | PathLike[str]) -> None:
        """Adds the frames of a Parquet part of the table `frames`; OSError where it cannot be read."""

    def stations(self) -> list[str]:
        """Addresses of the stations, sorted."""

    def nodes(self, texts: Mapping[str, Mapping[str, str]]) -> ArrowTable:
        """The table `nodes`; `texts` has columns that frames do not tell, by name and station, else null."""

    def neighbours(self) -> ArrowTable:
        """The table `neighbours` of recordings that were not merged."""

@final
class SequenceGaps:
    """Sequence numbers that were heard and that were not, of frames that come part by part."""

    def __new__(cls) -> SequenceGaps: ...
    def add_part(self, path: str | PathLike[str]) -> None:
        """Takes the frames of the next Parquet part of the table `frames`; OSError where it cannot be read."""

    def found(self) -> ArrowTable:
        """What was heard per transmitter, and per receiver of its QoS data, added over TIDs.

        `source observer sender receiver`; `firsts`, `heard`: numbers of which a first attempt was heard, or any;
        `span`: numbers from the least to the greatest that was heard; all also as `..._without_beacons`.
        """

    def pauses(self) -> list[tuple[str, int, int]]:
        """Times without a record, in which the numbers of stations went on: source, first and last instant, ns."""

@final
class LinkEvidence:
    """Counts, sizes and rates of the data exchanges of links, of exchanges that come part by part."""

    def __new__(cls, window_ns: int) -> LinkEvidence: ...
    def add_part(self, path: str | PathLike[str]) -> None:
        """Takes the exchanges of the next Parquet part of the table; OSError where it cannot be read."""

    def links(self) -> ArrowTable:
        """What they show per link and window: see `links` of `_recommended.evidence.Evidence`."""

    def media(self) -> ArrowTable:
        """How busy it was per observer and window: see `media` of the same."""

@final
class Correlation:
    """Cross-correlation of a log with a recording, as a function of the bin in which the log starts."""

    def __new__(
        cls,
        starts: Sequence[int],
        ends: Sequence[int],
        values: Sequence[float],
        sums: Sequence[float],
        squares: Sequence[float],
    ) -> Correlation: ...
    def at(self, starts: Sequence[int]) -> list[float]:
        """The correlation for each bin in which the log may start, 0 to 1."""

@final
class HiddenEvidence:
    """Gathers evidence of stations that do not hear one another from exchanges that come batch by batch."""

    def __new__(cls, traces: Sequence[str]) -> HiddenEvidence: ...
    def add(self, exchanges: Any) -> None:
        """Takes the next exchanges, nearly in the order of their ends: a table of the Arrow PyCapsule interface.

        Columns: those of `exchanges` that `hidden.evidence` reads, `complete`, `hidden` and `is_group` without nulls.
        Raises ValueError where a column is missing, of another type, or has nulls that mean nothing.
        """

    def links(self) -> ArrowTable:
        """`source observer sender receiver attempts failed whole answered unheard`, and what the exchanges took.

        That is `sent air_ns first_ns firsts with_cts from_ns until_ns`.
        """

    def overlaps(self) -> ArrowTable:
        """`source sender other late_starts overlapped overlapped_failed overlap_ns`."""

@final
class ArrowTable:
    """A complete table, for every Arrow consumer."""

    def records(self, columns: list[str]) -> list[dict[str, Any]]:
        """The rows as dictionaries of these columns, which hold flags, numbers or texts of a dictionary."""

    def __arrow_c_stream__(self, requested_schema: Any | None = None) -> Any:
        """The Arrow PyCapsule interface."""

@final
class ExchangeSample:
    """Exchanges sorted by medium and time: what MAC parameters are inferred from."""

    def __new__(cls, exchanges: Any) -> ExchangeSample:
        """Takes rows of `exchanges`; rows of different values of a column `block` are not consecutive."""

    def stations(
        self,
    ) -> list[tuple[int, str | None, str | None, str | None, int, str | None, int | None, int, bool]]:
        """The senders by number.

        Medium, source, observer, sender, exchanges, newest PHY, channel and number of the first exchange with it, and
        whether the PHY is a guess.
        """

    def gaps(self, sifs_us: list[float]) -> list[tuple[int, str, int, bool, bool, int]]:
        """The idle gaps in which stations contended, shorter ones first.

        Station, access category, whole microseconds, before a first attempt, after an own exchange, count. `sifs_us` is
        that of each station.
        """

    def traffic(self) -> list[tuple[int, str | None, str | None, bool, int]]:
        """Exchanges: station, network, access category, without access point, count."""

    def behaviours(
        self,
    ) -> list[tuple[int, list[tuple[int, int]], int | None, int | None, list[tuple[float | None, int, int]]]]:
        """How each station with an address behaves in the exchanges that it initiates.

        Exchanges with RTS, with CTS-to-self and with short preamble, each of how many; most MPDUs and octets; airtimes
        of RTS, CTS, response, response without QoS and response to an A-MPDU, each as median, how many are within 1 us
        of it, and how many there are.
        """

    def countdowns(
        self,
        station: int,
        category: str,
        sifs_us: float,
        aifs_us: float,
        grid: tuple[float, float, float],
        limits: tuple[float, int],
    ) -> dict[int, int]:
        """How often a station counted down each number of slots before its exchanges in a category.

        `grid`: slot time, phase and width of the grid; `limits`: tolerance of AIFS, slots from which on none counts.
        """

@final
class TableStream:
    """A table of one recording; every Arrow consumer that asks for a stream decodes it anew."""

    def __arrow_c_stream__(self, requested_schema: Any | None = None) -> Any:
        """The Arrow PyCapsule interface."""

def frames(
    path: str | PathLike[str],
    source: str,
    *,
    observer: str | None = None,
    decoder: str = ...,
    keys: list[str] = ...,
    tshark: tuple[list[str], list[str], str | None] | None = None,
) -> TableStream:
    """The `frames` table of a recording."""

def exchanges(
    path: str | PathLike[str],
    source: str,
    *,
    observer: str | None = None,
    decoder: str = ...,
    keys: list[str] = ...,
    tshark: tuple[list[str], list[str], str | None] | None = None,
) -> TableStream:
    """The `exchanges` table of a recording."""

def survey(
    path: str | PathLike[str],
    source: str,
    *,
    observer: str | None = None,
    decoder: str = ...,
    keys: list[str] = ...,
    tshark: tuple[list[str], list[str], str | None] | None = None,
) -> tuple[str, ArrowTable, ArrowTable]:
    """Reads a recording once: its facts as JSON, its first 65536 `exchanges`, and its `capabilities`."""

def ingest(
    path: str | PathLike[str],
    source: str,
    dataset: str | PathLike[str],
    part: str,
    *,
    observer: str | None = None,
    decoder: str = ...,
    keys: list[str] = ...,
    tshark: tuple[list[str], list[str], str | None] | None = None,
    stop: Callable[[], bool] | None = None,
    counts: FrameCounts | None = None,
) -> str:
    """Writes one recording's parts into a dataset folder and returns its summary as JSON.

    `stop` is called between batches, for threads that get no signals; true ends the run with KeyboardInterrupt.
    `counts` gets the recording's frames if all of it could be read.
    """

def ingest_together(
    recordings: Sequence[tuple[str | PathLike[str], str]],
    dataset: str | PathLike[str],
    part: str,
    *,
    observer: str | None = None,
    stop: Callable[[], bool] | None = None,
    counts: FrameCounts | None = None,
) -> list[str]:
    """Writes short recordings, given as (path, source), into one part of each table.

    Returns JSON for each of them: its summary; `{"error": reason}` if it is unusable; `{"long": true}` if it has more
    frames than short recordings have. The latter two have no rows in the parts. `stop` is called before each recording,
    for threads that get no signals; true ends the run with KeyboardInterrupt. `counts` gets the frames that are
    written.
    """

def check_decoder(decoder: str, *, tshark: tuple[list[str], list[str], str | None] | None = None) -> None:
    """Fails with DecoderUnavailable where the decoder cannot be used here; ValueError: no such decoder or option."""

def write_part(path: str | PathLike[str], table: str, rows: ArrowTable | None = None) -> None:
    """Writes a Parquet part of a table: the rows, which have its columns and types in order, or none."""

def merge(recordings: Sequence[tuple[str | PathLike[str], str, str]], dataset: str | PathLike[str]) -> str:
    """Writes recordings of one channel, given as (path, source, part), into a dataset as one; returns JSON."""

def recognize(
    path: str | PathLike[str],
    *,
    decoder: str = ...,
    tshark: tuple[list[str], list[str], str | None] | None = None,
) -> str | None:
    """The name of the format a file's content is in, or None where the decoder reads none such."""

def first_ns(path: str | PathLike[str]) -> int | None:
    """The time stamp of a recording's first frame in ns; None where its beginning holds no frame."""

def formats() -> list[tuple[str, str, str]]:
    """Every format that can be read: name, description, where it is implemented."""

def phy_constants() -> list[tuple[str, str | None, str | None, float, str, str]]:
    """Constants of IEEE 802.11: name, PHY and band that it holds for (None: any), value, unit, clause."""

def reason_codes() -> list[tuple[int, str]]:
    """Reason codes of deauthentication and disassociation, with what they mean in words."""

def status_codes() -> list[tuple[int, str]]:
    """Status codes of authentication and association, with what they mean in words."""

def plateau_evidence(
    histogram: Sequence[tuple[int, int]], firsts: Sequence[int], windows: Sequence[int], slots: int, fresh: bool
) -> list[list[float]]:
    """Log likelihood of a histogram (slot, count) under a plateau of each CWmin of `windows` from each of `firsts`.

    Gaps that are no backoff lie within `slots`. `fresh`: all backoffs were drawn for their gap. Returns a list for each
    of `firsts`.
    """

def dcf_monte_carlo(contenders: Any, seed: int) -> ArrowTable:
    """Simulates DCF for the stations of each case, a table of the Arrow PyCapsule interface.

    Columns: those that `_models.saturation.dcf_monte_carlo.simulate` takes, `backlogged`, `first_destroyed` and
    `answered_destroyed`.

    Returns `delivered_per_s`, `attempts_per_s`, `first_failed`, `answered_failed`, `behind` and `behind_slots` of each
    row. Raises ValueError where a column is missing, of another type, or has nulls that mean nothing.
    """

def group_sums(rows: Any) -> ArrowTable:
    """Sums of all other columns of a table by its column `group` (uint32), a row per group, in its order.

    Flags are counted, floats added in the order of the rows; null is nothing. Raises ValueError where a column holds
    neither flags nor 64-bit numbers.
    """

def ordered_sums(rows: Any) -> ArrowTable:
    """Sums of all other columns of a table by its column `group` (uint32), a row for each number from 0 on.

    They hold 64-bit floats, which are added from the least to the greatest; null is nothing. Raises ValueError where a
    column holds something else.
    """

def solve_stations(stations: Any) -> ArrowTable:
    """Solves the fixed point of `saturation.fixed_point.STATIONS`, a table of the Arrow PyCapsule interface.

    Returns `delivered_per_s`, `collision` and `packets`, a row for each. Raises ValueError where a column is missing,
    of another type, or has nulls that mean nothing.
    """

@final
class GroupIds:
    """Numbers the rows of tables by the combination of their values; the same in all tables that it is given."""

    def __new__(cls) -> GroupIds: ...
    def number(self, table: Any) -> ArrowTable:
        """Numbers the rows of a table of the Arrow PyCapsule interface, which has the same columns every time.

        Returns `number` (uint32), a row for each: from 0 in the order in which the combinations first appear; null is a
        value like others. Raises ValueError where a column holds neither texts, flags nor numbers.
        """

@final
class BusyTime:
    """Busy time of each medium, carried from chunk to chunk."""

    def __new__(cls) -> BusyTime: ...
    def up_to(self, intervals: Any, edges: Any, from_ns: int | None = None, to_ns: int | None = None) -> ArrowTable:
        """Measure of the union of intervals before each edge, nanoseconds: `filled_ns`.

        Tables of the Arrow PyCapsule interface: `medium start_ns end_ns` in any order, of those that end from `from_ns`
        up to, not including, `to_ns`, and of those that go on then; and `medium edge_ns`, sorted, after `from_ns` up to
        `to_ns`. Raises ValueError where a column is missing, of another type, or has nulls.
        """

@final
class SequenceSteps:
    """By how many sequence numbers senders went on; state is carried from chunk to chunk."""

    def __new__(cls, max_advance: int, tick_ns: int, max_gap_ticks: int) -> SequenceSteps: ...
    def follow(self, exchanges: Any) -> ArrowTable:
        """Takes the exchanges of the next chunk, a table of the Arrow PyCapsule interface, in their order.

        Columns: those that `_models.saturation.completeness` passes. Returns a row for each: `advanced advanced_heard
        gap_ticks is_new is_heard_again`. Raises ValueError where a column is missing, of another type, or has nulls.
        """

@final
class Smoothing:
    """Exponential smoothing, s <- s + weight (x - s), of rows that are alike; state is carried from chunk to chunk."""

    def __new__(cls, weight: float, start: float | None = None) -> Smoothing: ...
    def follow(self, by: Any, values: Any) -> ArrowTable:
        """Takes the next rows: the columns that make them alike, and columns of floats; returns these smoothed.

        Raises ValueError where a value is null or no float, or there are more of one than of the other.
        """

@final
class HeadOfLine:
    """When each packet came to the head of its sender's queue; state is carried from chunk to chunk."""

    def __new__(cls) -> HeadOfLine: ...
    def follow(self, exchanges: Any) -> ArrowTable:
        """Takes the exchanges of the next chunk, a table of the Arrow PyCapsule interface, in their order.

        Columns: those that `_aggregate.head_of_line` passes.

        Returns `link hol_ns waited_ns accesses dispersion_ns delay_sum_ns`, a row for each. Raises ValueError where a
        column is missing, of another type, or has nulls that mean nothing.
        """

def tables() -> list[tuple[str, str, str, list[tuple[str, str, str, str, str, str | None]]]]:
    """Every table of a dataset: its name, what a row is, what fills it, and its columns.

    Of a column: name, type, unit, meaning, source, and the SQL that gives it where a dataset lacks it.
    """

def parquet_footer(path: str | PathLike[str]) -> tuple[int, str, dict[str, str]]:
    """Rows, schema as text and key-value metadata of a Parquet file; OSError where it is none."""

def parquet_metadata(table: str) -> list[tuple[str, str]]:
    """The key-value metadata of a table's Parquet files. Raises ValueError where there is no such table."""

@final
class ArrowSchema:
    """The Arrow schema of a table's Parquet files, whose fields carry unit, meaning and source."""

    def __new__(cls, table: str) -> ArrowSchema: ...
    def __arrow_c_schema__(self) -> object:
        """The Arrow PyCapsule interface."""

@final
class ReplayRun:
    """What one run left behind."""

    @property
    def controller(self) -> str: ...
    @property
    def mode(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def flows(self) -> ArrowTable: ...
    @property
    def links(self) -> ArrowTable: ...
    @property
    def summary(self) -> ArrowTable: ...

@final
class Replay:
    """Iterates over the runs of a replay, in order: every controller with every seed."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Replay: ...
    def __next__(self) -> ReplayRun: ...

@final
class FlowSetup:
    """A flow before it starts."""

    @property
    def mss_bytes(self) -> int: ...
    @property
    def header_bytes(self) -> int: ...
    @property
    def hops(self) -> int: ...
    @property
    def initial_window_segments(self) -> int: ...

@final
class FlowView:
    """What the transport knows of a flow."""

    @property
    def mss_bytes(self) -> int: ...
    @property
    def header_bytes(self) -> int: ...
    @property
    def flight_bytes(self) -> int: ...
    @property
    def smoothed_rtt_s(self) -> float | None: ...
    @property
    def last_rtt_s(self) -> float | None: ...
    @property
    def least_rtt_s(self) -> float | None: ...
    @property
    def retransmission_timeout_ns(self) -> int: ...
    @property
    def next_segment(self) -> int: ...
    @property
    def capacity_bytes_per_s(self) -> float | None: ...
    @property
    def available_bytes_per_s(self) -> float | None: ...
    @property
    def collision_probability(self) -> float: ...

@final
class Ack:
    """What an acknowledgement said."""

    @property
    def newly_acked_bytes(self) -> int: ...
    @property
    def advanced(self) -> bool: ...
    @property
    def segment(self) -> int: ...
    @property
    def rtt_s(self) -> float | None: ...
    @property
    def in_recovery(self) -> bool: ...
    @property
    def congestion_echo(self) -> bool: ...
    @property
    def header(self) -> list[float]: ...

@final
class Congestion:
    """What the transport concluded."""

    @property
    def kind(self) -> str: ...
    @property
    def flight_bytes(self) -> int | None: ...
    @property
    def acked_bytes(self) -> int | None: ...

@final
class LinkSetup:
    """A node's outgoing link before the run."""

    @property
    def link(self) -> int: ...
    @property
    def to(self) -> int: ...
    @property
    def rate_bps(self) -> int: ...
    @property
    def wired(self) -> bool: ...
    @property
    def queue_packets(self) -> int | None: ...
    @property
    def service_time_ns(self) -> int: ...

@final
class NodeSetup:
    """A node before the run."""

    @property
    def node(self) -> int: ...
    @property
    def links(self) -> list[LinkSetup]: ...
    @property
    def neighbours(self) -> list[int]: ...

@final
class LinkView:
    """An outgoing link as its router may see it."""

    @property
    def queue_bytes(self) -> int: ...
    @property
    def queue_packets(self) -> int: ...
    @property
    def capacity_bytes_per_s(self) -> float | None: ...
    @property
    def available_bytes_per_s(self) -> float | None: ...
    @property
    def collision_probability(self) -> float: ...

@final
class CrossLayer:
    """What rt-Winf measured on the link that a receiver acknowledges over."""

    @property
    def capacity_bytes_per_s(self) -> float | None: ...
    @property
    def available_bytes_per_s(self) -> float | None: ...
    @property
    def collision_probability(self) -> float: ...

@final
class Packet:
    """A packet; only its header can be written."""

    @property
    def flow(self) -> int: ...
    @property
    def is_ack(self) -> bool: ...
    @property
    def segment(self) -> int: ...
    @property
    def size_bytes(self) -> int: ...
    @property
    def sent_at_ns(self) -> int: ...
    @property
    def retransmitted(self) -> bool: ...

    header: list[float]
    """Eight numbers that travel with the packet, and back with its acknowledgement."""

def replay(
    replay_id: str,
    world: str,
    controllers: Sequence[tuple[str, str, Any]],
    seeds: Sequence[int],
    *,
    companions: Sequence[tuple[str, str, Any]] = ...,
    origin_ns: int | None = None,
    threads: int = 0,
) -> Replay:
    """The runs of a world, given as JSON, with seeds.

    Controllers are given as (name, mode, settings as JSON) or as (name, mode, object written in Python). Flows that
    name a controller by index have that of ``companions``, from 1 on, whatever the controller of the run is.
    """

def world_from_toml(text: str, *, duration_ns: int | None = None, bin_ns: int | None = None) -> str:
    """A world that is written as TOML, as JSON, once it can be run; the error says in which line it cannot.

    Duration and width of the bins take the place of the document's own.
    """

def controllers() -> list[tuple[str, str, str, list[str], str]]:
    """Every controller of the registry, and the allocation they are measured against."""

def has_max_min(world: str) -> bool:
    """Whether the max-min fair allocation of a world, given as JSON, can be computed."""
