"""A state → the text of what the player sees: rooms, things, ways, what is held.

Everything static is worked out when the engine is made. A view is joined from parts (the fixed things, the
ways …), and each part is remembered by the bits that it depends on. The order is fixed: place, fixed things
with their state, loose things, ways, what is held, and with scope `neighbours` what can be seen next door.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sandbox.world import spec
from sandbox.world.bits import FALSE, TRUE, Condition, Memo, Memos, holds, reads
from sandbox.world.english import article
from sandbox.world.ground import Ground
from sandbox.world.phrases import Phrases
from sandbox.world.values import Group
from sandbox.world.world import World

Text: TypeAlias = Memo[str]
"""A piece of text as a function of the state."""


@dataclass(frozen=True, slots=True)
class Item:
    """One object: its name, what can be seen of it, and where it can be.

    `drawn` are the words for all its drawn attributes, `shown` those that stand in every text about it. `looks` are
    its changeable values that have words: their bits, and the word for each setting of these. `mask` is all of them.
    """

    id: str
    name: str
    drawn: tuple[str, ...]
    shown: tuple[str, ...]
    looks: tuple[tuple[int, Mapping[int, str]], ...]
    mask: int
    place: Group | None

    def words(self, state: int) -> list[str]:
        """The words that say the object's state, the drawn attributes that it shows first."""
        return [*self.shown, *[word for mask, words in self.looks if (word := words[state & mask])]]


class View:
    """Writes what is seen in a world. Built once per engine; `room(state, id)` is the view of a room."""

    def __init__(self, world: World, ground: Ground) -> None:
        self._ground, self.names = ground, world.names
        self.phrases = Phrases(world.observation.phrases, f"observation {world.observation.form!r}")
        self._comma, self._and = self.phrases.say("comma"), self.phrases.say("words")
        self._words = {w: self.phrases.say("word", word=w) for f in world.rules.functions for w in f.words}
        self._functions = {f.name: f for f in world.rules.functions}
        self._kinds = {k.name: k for k in world.rules.kinds}
        self._frame = self.phrases.around("view", "view")
        self._lists = {
            key: (self.phrases.around(key, "items"), self.phrases.say(key + "_none"))
            for key in ("fixed", "loose", "ways", "held", "you")
        }
        self._near = world.observation.scope == "neighbours"
        self.items = {o.id: self._item(o) for o in world.layout.objects}
        is_thing = set(ground.members("thing"))
        self.things = [self.items[i] for i in self.items if i in is_thing]
        self._fixed: dict[str, list[Item]] = {room: [] for room in world.layout.rooms}
        for id_ in ground.members("fixture"):
            place = ground.start_value(spec.PLACE, (id_,))
            moves = self.items[id_].place is not None
            if place in self._fixed and not moves and not world.rules.kind_of(ground.kinds[id_], "door"):
                self._fixed[str(place)].append(self.items[id_])
        self._holders = set(ground.members("holder"))
        self._open = {h: self._opened(h) for h in self._holders}
        self._ways = self._find_ways(world)
        self._within_reach = ground.tester(spec.Atom("near", (spec.Var("x"),)))
        self._reach: dict[tuple[str, str], Condition] = {}
        self._places = self._find_places(self.things)
        self._movers = self._find_places([self.items[i] for i in ground.members("fixture")])
        self._light = {room: ground.tester(spec.Atom("sight", ()))({}, room) for room in world.layout.rooms}
        self.memos = Memos()
        self._named = {id_: self._name(item, "item") for id_, item in self.items.items()}
        self._whole = {id_: self._with_content(item) for id_, item in self.items.items()}
        self.held = self._lying("held", spec.CARRIED)
        self.you = self._own_state()
        self._glances = {room: self._glance(room) for room in world.layout.rooms} if self._near else {}
        self._rooms = {room: self._room(room) for room in world.layout.rooms}

    def _item(self, object_: spec.Object) -> Item:
        ground, functions = self._ground, self._functions
        drawn = {n: functions[n].words[functions[n].values.index(v)] for n, v in object_.attributes}
        looks = [look for function in functions.values() for look in self._looks(function, (object_.id,))]
        return Item(
            object_.id, self.names[object_.id], tuple([word for word in drawn.values() if word]),
            tuple([drawn[name] for name in self._shows(object_.kind) if drawn.get(name)]), tuple(looks),
            sum(mask for mask, _ in looks), ground.groups.get((spec.PLACE, (object_.id,))),
        )

    def _looks(self, function: spec.Function, args: tuple[str, ...]) -> Iterator[tuple[int, Mapping[int, str]]]:
        """The bits of a function value that has words, and the word for each setting of these."""
        group = self._ground.groups.get((function.name, args))
        if group is not None and any(function.words):
            settings = (0, group.mask) if len(group.bits) == 1 else group.bits
            yield group.mask, dict(zip(settings, function.words, strict=True))

    def _shows(self, kind: str) -> tuple[str, ...]:
        """The attributes that stand in every text about an object of a kind: its own, or those of the next above."""
        kinds, at = self._kinds, kind
        while at in kinds:
            if kinds[at].shows or kinds[at].parent == at:
                return kinds[at].shows
            at = kinds[at].parent
        return ()

    def _opened(self, holder: str) -> Condition:
        return self._ground.fact(spec.Fact("open", (holder,), True))

    def _find_ways(self, world: World) -> dict[str, list[tuple[str, list[Item]]]]:
        relations = set(world.layout.relations)
        doors = self._ground.members("door")
        ways: dict[str, list[tuple[str, list[Item]]]] = {}
        for here in world.layout.rooms:
            ways[here] = [
                (to, [
                    self.items[d] for d in doors
                    if ("side", (d, here)) in relations and ("side", (d, to)) in relations
                ])
                for to in world.layout.rooms if ("exit", (here, to)) in relations
            ]
        return ways

    def _find_places(self, items: Iterable[Item]) -> dict[str, list[tuple[int, Item]]]:
        """For each place, which of some objects can ever be there, with the bit that says so."""
        found: dict[str, list[tuple[int, Item]]] = {}
        for item in items:
            if item.place is not None:
                for place, bit in zip(item.place.values, item.place.bits, strict=True):
                    found.setdefault(str(place), []).append((bit, item))
        return found

    def _own_state(self) -> Text:
        """The words for the player's own state: the values of functions without parameters."""
        looks = [look for f in self._functions.values() if not f.params for look in self._looks(f, ())]
        mask = sum(mask for mask, _ in looks)

        def write(state: int) -> str:
            words = [word for mask, words in looks if (word := words[state & mask])]
            return self._list("you", [self._words[word] for word in words])

        return self.memos.new(mask, write)

    # --- what is where ------------------------------------------------------------------------
    def inside(self, state: int, place: str) -> list[Item]:
        """The things that lie in a room, in a holder, or are carried."""
        return [thing for bit, thing in self._places.get(place, ()) if state & bit]

    def ways(self, room: str) -> Sequence[tuple[str, list[Item]]]:
        """The ways out of a room with the doors that stand in them."""
        return self._ways[room]

    def sees(self, id_: str, state: int, room: str) -> bool:
        """Whether an object is within the player's reach in a room."""
        return holds(self.reach(id_, room), state)

    def reach(self, id_: str, room: str) -> Condition:
        """The condition that an object is within reach in a room: the core's `near`."""
        found = self._reach.get((id_, room))
        if found is None:
            found = self._reach[id_, room] = self._within_reach({"x": id_}, room)
        return found

    # --- text ---------------------------------------------------------------------------------
    def room(self, state: int, room: str) -> str:
        """The text of a room as the player in it sees it."""
        return self._rooms[room].at(state)

    def _room(self, room: str) -> Text:
        place = self.phrases.say("place", place=self.names[room], Place=self.names[room].capitalize())
        fixed = [self._whole[item.id] for item in self._fixed[room]]
        moving, movers = self._lying_in(self._movers, room, self._whole)
        ways = [self._way(to, doors) for to, doors in self._ways[room]]
        parts = [
            *self._lit(room, [
                self.memos.new(
                    _bits(fixed) | moving,
                    lambda state: self._list("fixed", [item.at(state) for item in fixed] + movers(state)),
                ),
                self._lying("loose", room),
            ], "dark"),
            self.memos.new(_bits(ways), lambda state: self._list("ways", [way.at(state) for way in ways])),
            self.held,
            self.you,
        ]
        if self._near:
            parts += self._lit(room, [self._next_door(room)])
        return self.memos.new(
            _bits(parts), lambda state: (place + "".join([part.at(state) for part in parts])).join(self._frame)
        )

    def _lit(self, room: str, parts: list[Text], otherwise: str = "") -> list[Text]:
        """Texts as they are while there is light to see in a room; else one text in their place."""
        light = self._light[room]
        if light == TRUE:
            return parts
        dark = self.phrases.say(otherwise) if otherwise else ""

        def write(state: int) -> str:
            return "".join([part.at(state) for part in parts]) if holds(light, state) else dark

        return [self.memos.new(reads(light) | _bits(parts), write)]

    def _list(self, key: str, items: Sequence[str]) -> str:
        around, none = self._lists[key]
        return self._comma.join(items).join(around) if items else none

    def _lying(self, key: str, place: str) -> Text:
        """The list of what lies in a place."""
        mask, things = self._things_in(place, self._whole)
        return self.memos.new(mask, lambda state: self._list(key, things(state)))

    def _things_in(self, place: str, texts: Mapping[str, Text]) -> tuple[int, Callable[[int], list[str]]]:
        """The things that lie in a place, each as its text says it, and the bits that this depends on."""
        return self._lying_in(self._places, place, texts)

    @staticmethod
    def _lying_in(
        places: Mapping[str, Sequence[tuple[int, Item]]], place: str, texts: Mapping[str, Text]
    ) -> tuple[int, Callable[[int], list[str]]]:
        things = [(bit, texts[thing.id]) for bit, thing in places.get(place, ())]
        mask = _bits(text for _, text in things) | sum(bit for bit, _ in things)
        return mask, lambda state: [text.at(state) for bit, text in things if state & bit]

    def _next_door(self, room: str) -> Text:
        """The list of what can be seen in the rooms around."""
        rooms = [self._glances[to] for to, _ in self._ways[room]]
        between, none = self.phrases.say("nexts_comma"), self.phrases.say("nexts_none")
        around = self.phrases.around("nexts", "items")

        def write(state: int) -> str:
            seen = [text for near in rooms if (text := near.at(state))]
            return between.join(seen).join(around) if seen else none

        return self.memos.new(_bits(rooms), write)

    def _glance(self, room: str) -> Text:
        """What can be seen in a room from next door, or ''."""
        fixed = [self._named[item.id] for item in self._fixed[room]]
        moving, movers = self._lying_in(self._movers, room, self._named)
        mask, loose = self._things_in(room, self._named)
        around = self.phrases.around("next", "items", place=self.names[room])

        def write(state: int) -> str:
            seen = [item.at(state) for item in fixed] + movers(state) + loose(state)
            return self._comma.join(seen).join(around) if seen else ""

        return self._lit(room, [self.memos.new(_bits(fixed) | moving | mask, write)])[0]

    def _way(self, to: str, doors: Sequence[Item]) -> Text:
        """A way to a room and the doors that stand in it."""
        if not doors:
            way = self.phrases.say("way", place=self.names[to])
            return self.memos.new(0, lambda _: way)
        named = [self._name(door, "door") for door in doors]
        around = self.phrases.around("way_door", "door", place=self.names[to])
        return self.memos.new(
            _bits(named), lambda state: self._and.join([door.at(state) for door in named]).join(around)
        )

    def _name(self, item: Item, key: str) -> Text:
        """An object's name with the words for its state."""
        names = {"name": item.name, "a_name": article(item.name)}
        plain, around = self.phrases.say(key, **names), self.phrases.around(key + "_words", "words", **names)

        def write(state: int) -> str:
            words = item.words(state)
            return self._and.join([self._words[word] for word in words]).join(around) if words else plain

        return self.memos.new(item.mask, write)

    def _with_content(self, item: Item) -> Text:
        """An object with its state and, when it is open, what lies in it."""
        named, opened = self._named[item.id], self._open.get(item.id, FALSE)
        if not opened:
            return named
        mask, inside = self._things_in(item.id, self._named)
        say = self.phrases.say

        def write(state: int) -> str:
            if not holds(opened, state):
                return named.at(state)
            held = inside(state)
            if held:
                text = named.at(state)
                return say("holding", item=text, open=text[:-1], items=self._comma.join(held))
            return say("holding_none", item=named.at(state))

        return self.memos.new(named.mask | mask | reads(opened), write)


def _bits(texts: Iterable[Text]) -> int:
    """The bits that some texts depend on."""
    bits = 0
    for text in texts:
        bits |= text.mask
    return bits
