"""A map and its objects: rooms, ways, doors, what the families place, what each thing is like.

Families ask for objects with `place`; the layout finds rooms, holders and attributes that meet what is
asked, or fails with the demand that it could not meet. Everything is drawn from one named stream.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

from sandbox.errors import ConstraintError, GroundingError
from sandbox.world import spec
from sandbox.world.keyed import Key, Stream
from sandbox.world.slow import Tree
from sandbox.world.spec import Layout, Object, Place, Rules, Value

ON_WAYS = ("exits", "loops")
"""Spots of doors."""


MOST_OBJECTS = 1_000
"""How many objects a world may hold."""


@dataclass(slots=True)
class _Draft:
    """A layout in the making."""

    rooms: tuple[str, ...]
    exits: list[tuple[str, str]] = field(default_factory=list)
    objects: list[Object] = field(default_factory=list)
    relations: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    start: dict[tuple[str, tuple[str, ...]], Value] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    free: list[tuple[str, str]] = field(default_factory=list)

    def layout(self) -> Layout:
        start = tuple((name, args, value) for (name, args), value in sorted(self.start.items()))
        return Layout(self.rooms, tuple(self.objects), tuple(self.relations), start)

    def place_of(self, id_: str) -> str:
        return str(self.start.get((spec.PLACE, (id_,)), ""))


def draw_layout(rules: Rules, rooms: int, things: int, key: Key, cards: int = 1) -> Layout:
    """A layout of `rooms` rooms and about `things` loose things for a rule set.

    Raises ConstraintError when a placement cannot be met.
    """
    stream = key.stream()
    draft = _Draft(tuple(f"r{i + 1}" for i in range(rooms)))
    _draw_map(draft, stream)
    wanted = sum(_count(p, rules) for p in rules.places if rules.kind_of(p.kind, "thing"))
    places = list(rules.places)
    plain = max(2, things - wanted)
    fill = Place(plain, "thing", "self", None, spec.TRUE, (), "rooms", "", "core")
    card = Place(cards, "card", "self", None, spec.TRUE, (), "rooms", "", "core")
    first = [p for p in places if p.at in ON_WAYS]
    rest = [p for p in places if p.at not in ON_WAYS]
    for place in [*first, fill, *([card] if cards else []), *rest]:
        _place(rules, draft, place, stream)
    draft.start[spec.HERE, ()] = here = stream.choice(_outside(draft))
    draft.relations += _far_sides(draft, here)
    _draw_starts(rules, draft, stream)
    return draft.layout()


def _count(place: Place, rules: Rules) -> int:
    if place.per is None:
        return place.count
    return place.count * sum(
        _count(p, rules) for p in rules.places if rules.kind_of(p.kind, place.per[1]) and p is not place
    )


def _draw_map(draft: _Draft, stream: Stream) -> None:
    """A bushy tree of bounded degree with a few loops; ways lead both ways, and no room is far from another."""
    rooms = draft.rooms
    degree = dict.fromkeys(rooms, 0)
    edges: list[tuple[str, str]] = []

    def join(a: str, b: str) -> None:
        edges.append((a, b))
        degree[a] += 1
        degree[b] += 1

    for i, room in enumerate(rooms[1:], 1):
        near = [r for r in rooms[:i] if degree[r] < 4][:2]
        join(stream.choice(near or [min(rooms[:i], key=lambda r: degree[r])]), room)
    for _ in range(max(1, len(rooms) // 4)):
        pairs = [
            (a, b) for i, a in enumerate(rooms) for b in rooms[i + 1:i + 6]
            if degree[a] < 4 and degree[b] < 4 and (a, b) not in edges
        ]
        if pairs and len(rooms) > 2:
            join(*stream.choice(pairs))
    draft.exits = edges
    draft.free = list(edges)
    for a, b in edges:
        draft.relations += [("exit", (a, b)), ("exit", (b, a))]


def _bridges(draft: _Draft) -> list[tuple[str, str]]:
    """The ways whose loss would split the map."""
    return [edge for edge in draft.exits if not _joined(draft, edge)]


def _joined(draft: _Draft, without: tuple[str, str]) -> bool:
    return without[1] in _region(draft, without[0], {without})


def _region(draft: _Draft, start: str, closed: set[tuple[str, str]]) -> set[str]:
    """The rooms that can be reached from one without the closed ways."""
    ways: dict[str, list[str]] = {}
    for a, b in draft.exits:
        if (a, b) not in closed:
            ways.setdefault(a, []).append(b)
            ways.setdefault(b, []).append(a)
    seen, queue = {start}, [start]
    for at in queue:
        for to in ways.get(at, ()):
            if to not in seen:
                seen.add(to)
                queue.append(to)
    return seen


# --- objects -------------------------------------------------------------------------------------
def _place(rules: Rules, draft: _Draft, place: Place, stream: Stream) -> None:
    anchors: Sequence[str | None] = [None]
    if place.per is not None:
        anchors = [o.id for o in draft.objects if rules.kind_of(o.kind, place.per[1])]
    if (objects := len(draft.objects) + len(anchors) * place.count) > MOST_OBJECTS:
        raise GroundingError(f"placing {place.kind}", place.family, objects, MOST_OBJECTS)
    for anchor in anchors:
        for _ in range(place.count):
            _one(rules, draft, place, anchor, stream)


def _one(rules: Rules, draft: _Draft, place: Place, anchor: str | None, stream: Stream) -> None:
    number = draft.counts[place.kind] = draft.counts.get(place.kind, 0) + 1
    id_ = f"{place.kind}{number}"
    env = {place.var: id_} | ({place.per[0]: anchor} if place.per and anchor else {})
    links = _links(rules, draft, place, env, stream)
    draft.relations += links
    draft.objects.append(Object(id_, place.kind))
    draft.objects[-1] = Object(id_, place.kind, _attributes(rules, draft, place, env, stream))
    _put(rules, draft, place, id_, anchor, stream)


def _attributes(
    rules: Rules, draft: _Draft, place: Place, env: dict[str, str], stream: Stream
) -> tuple[tuple[str, Value], ...]:
    """Drawn attributes of a new object that meet what its placement asks."""
    drawn = [f for f in rules.functions if f.drawn and rules.kind_of(place.kind, f.params[0][1])]
    names = [f.name for f in drawn]
    if place.where == spec.TRUE:
        return tuple((f.name, stream.choice(f.values)) for f in drawn)
    tree = Tree(rules, draft.layout())
    facts, id_ = tree.initial(), env[place.var]
    for values in stream.shuffled(list(product(*(f.values for f in drawn)))):
        facts |= {(name, (id_,)): value for name, value in zip(names, values, strict=True)}
        if tree.test(place.where, env, facts):
            return tuple(zip(names, values, strict=True))
    raise _failed(place, f"no {place.kind} can meet its `where`")


def _links(
    rules: Rules, draft: _Draft, place: Place, env: dict[str, str], stream: Stream
) -> list[tuple[str, tuple[str, ...]]]:
    """The relations of a new object: an end is a variable, or a kind of which one is drawn."""
    links: list[tuple[str, tuple[str, ...]]] = []
    taken = {id_ for _, args in draft.relations for id_ in args}
    for name, *ends in place.links:
        args = []
        for end in ends:
            if end in env:
                args.append(env[end])
                continue
            pool = [o.id for o in draft.objects if rules.kind_of(o.kind, end) and o.id not in taken]
            if not pool:
                raise _failed(place, f"no {end} is left for {name}")
            args.append(stream.choice(pool))
            taken.add(args[-1])
        links.append((name, tuple(args)))
    return links


def _put(rules: Rules, draft: _Draft, place: Place, id_: str, anchor: str | None, stream: Stream) -> None:
    spot: str
    if place.at in ON_WAYS:
        _hang(draft, id_, place, stream)
        return
    if place.at in (spec.CARRIED, spec.GONE):
        spot = place.at
    elif place.at == "outside":
        spot = _room(draft, stream, _outside(draft))
    elif place.at == "rooms":
        spot = _room(draft, stream)
    elif place.at == "elsewhere":
        here = draft.place_of(anchor) if anchor else ""
        spot = stream.choice([r for r in draft.rooms if r != here])
    else:
        holders = [o.id for o in draft.objects if rules.kind_of(o.kind, place.at)]
        if not holders:
            raise _failed(place, f"there is no {place.at} to put it in")
        held = [draft.place_of(o.id) for o in draft.objects]
        least = min(held.count(h) for h in holders)
        spot = stream.choice([h for h in holders if held.count(h) == least])
    draft.start[spec.PLACE, (id_,)] = spot


def _room(draft: _Draft, stream: Stream, rooms: Sequence[str] = ()) -> str:
    """A room, the emptier the likelier: things spread out."""
    rooms = rooms or draft.rooms
    load = [list(draft.start.values()).count(room) for room in rooms]
    pool = [room for room, n in zip(rooms, load, strict=True) if n <= min(load) + 1]
    return stream.choice(pool)


def _outside(draft: _Draft) -> list[str]:
    """The rooms of the largest region that no door closes off: the player starts there."""
    closed = {edge for edge in draft.exits if edge not in draft.free}
    regions: list[set[str]] = []
    for room in draft.rooms:
        if not any(room in region for region in regions):
            regions.append(_region(draft, room, closed))
    largest = max(len(region) for region in regions)
    first = next(region for region in regions if len(region) == largest)
    return [room for room in draft.rooms if room in first]


def _hang(draft: _Draft, id_: str, place: Place, stream: Stream) -> None:
    """A door in a way that has none: by preference one that splits the map, or one that can be walked around."""
    bridges = _bridges(draft)
    pool = [edge for edge in draft.free if (edge in bridges) == (place.at == "exits")] or draft.free
    if not pool:
        raise _failed(place, "there are more doors than ways")
    edge = stream.choice(pool)
    draft.free.remove(edge)
    draft.relations += [("side", (id_, edge[0])), ("side", (id_, edge[1]))]
    draft.start[spec.PLACE, (id_,)] = spec.GONE  # in no room: it is where its sides are


def _far_sides(draft: _Draft, here: str) -> list[tuple[str, tuple[str, ...]]]:
    """For each door, the room beyond it: that of its two rooms which is farther from where the player starts."""
    far, queue = {here: 0}, [here]
    for at in queue:
        for a, b in draft.exits:
            if at in (a, b) and (to := b if at == a else a) not in far:
                far[to] = far[at] + 1
                queue.append(to)
    sides: dict[str, list[str]] = {}
    for name, args in draft.relations:
        if name == "side":
            sides.setdefault(args[0], []).append(args[1])
    return [("beyond", (door, max(rooms, key=lambda room: far[room]))) for door, rooms in sides.items()]


def _draw_starts(rules: Rules, draft: _Draft, stream: Stream) -> None:
    tree = Tree(rules, draft.layout())
    facts = tree.initial()
    for start in rules.starts:
        for env in _bindings(tree, start):
            if not tree.test(start.where, env, facts):
                continue
            if start.sometimes and not stream.chance(50):
                continue
            args = tuple(str(tree.term(arg, env, facts)) for arg in start.change.args)
            draft.start[start.change.name, args] = tree.term(start.change.value, env, facts)


def _bindings(tree: Tree, start: spec.Start) -> Iterator[dict[str, str]]:
    yield from tree.bindings(start.over)


def _failed(place: Place, why: str) -> ConstraintError:
    stage = f" of stage {place.stage!r}" if place.stage else ""
    return ConstraintError(
        f"family {place.family!r}: cannot place {place.kind}{stage}: {why}", f"{place.family}/{place.kind}",
        "more rooms or things in the recipe, or fewer in the stage",
    )
