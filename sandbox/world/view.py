"""A state → the text of what the player sees: rooms, things, ways, what is held.

Everything static is worked out when the engine is made; a view is then a look-up by the bits it depends
on, and on a miss a join of phrases. The order is fixed: place, fixed things with their state, loose
things, ways, what is held, and with scope `neighbours` what can be seen next door.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sandbox.world import spec
from sandbox.world.bits import TRUE, Condition, holds
from sandbox.world.english import article
from sandbox.world.ground import Ground, Group
from sandbox.world.phrases import Phrases
from sandbox.world.world import World

_FULL = 20_000
"""Entries after which a cache of texts is emptied; caches never change a text."""


class Item:
    """One object: its name, the bits that its description depends on, and what it can hold."""

    __slots__ = ("groups", "id", "mask", "name", "place", "shown", "texts")

    def __init__(self, id_: str, name: str, shown: tuple[str, ...], groups: list[tuple[Group, tuple[str, ...]]],
                 place: Group | None) -> None:
        self.id, self.name, self.shown, self.groups, self.place = id_, name, shown, groups, place
        self.mask = sum(group.mask for group, _ in groups)
        self.texts: dict[int, tuple[str, ...]] = {}

    def words(self, state: int) -> tuple[str, ...]:
        """The words that say the object's state, the drawn attributes that it shows first."""
        key = state & self.mask
        found = self.texts.get(key)
        if found is None:
            said = list(self.shown)
            for group, words in self.groups:
                if len(group.bits) == 1:
                    word = words[1 if state & group.mask else 0]
                else:
                    word = words[group.bits.index(state & group.mask)]
                if word:
                    said.append(word)
            found = self.texts[key] = tuple(said)
        return found


class View:
    """Writes what is seen in a world. Built once per engine; `room(state, id)` is the view of a room."""

    def __init__(self, world: World, ground: Ground) -> None:
        self._ground, self.names = ground, world.names
        self.phrases = Phrases(world.observation.phrases, f"observation {world.observation.form!r}")
        self._near = world.observation.scope == "neighbours"
        self.items = {o.id: self._item(o, world) for o in world.layout.objects}
        is_thing = set(ground.members("thing"))
        self.things = [self.items[i] for i in self.items if i in is_thing]
        self._fixed: dict[str, list[Item]] = {room: [] for room in world.layout.rooms}
        for id_ in ground.members("fixture"):
            place = ground.start_value(spec.PLACE, (id_,))
            if place in self._fixed and not world.rules.kind_of(ground.kinds[id_], "door"):
                self._fixed[str(place)].append(self.items[id_])
        self._holders = set(ground.members("holder"))
        self._open = {h: self._opened(h) for h in self._holders}
        self._ways = self._find_ways(world)
        self._masks = {room: self._mask(room) for room in world.layout.rooms}
        self._texts: dict[tuple[str, int], str] = {}
        self._reach: dict[tuple[str, str], Condition] = {}

    def _item(self, object_: spec.Object, world: World) -> Item:
        ground, rules = self._ground, world.rules
        shows = self._shows(object_.kind, world)
        drawn = dict(object_.attributes)
        functions = {f.name: f for f in rules.functions}
        shown = tuple(
            functions[name].words[functions[name].values.index(drawn[name])] for name in shows if name in drawn
        )
        groups = [
            (group, function.words)
            for function in rules.functions
            if function.name not in (spec.PLACE, spec.HERE) and any(function.words)
            for group in [ground.groups.get((function.name, (object_.id,)))]
            if group is not None
        ]
        return Item(object_.id, self.names[object_.id], shown, groups, ground.groups.get((spec.PLACE, (object_.id,))))

    @staticmethod
    def _shows(kind: str, world: World) -> tuple[str, ...]:
        kinds = {k.name: k for k in world.rules.kinds}
        at = kind
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

    def doors(self, room: str) -> Iterable[Item]:
        """The doors that stand in the ways of a room."""
        return (door for _, doors in self._ways[room] for door in doors)

    def _mask(self, room: str) -> int:
        """The bits that the view of a room can depend on."""
        rooms = {room, *((to for to, _ in self._ways[room]) if self._near else ())}
        places = [*rooms, spec.CARRIED, *self._holders]
        mask = 0
        for thing in self.things:
            mask |= thing.mask
            if thing.place is not None:
                for value, bit in zip(thing.place.values, thing.place.bits, strict=True):
                    mask |= bit if value in places or thing.id in self._holders else 0
        for at in rooms:
            for item in (*self._fixed[at], *self.doors(at)):
                mask |= item.mask
        return mask

    # --- what is where ------------------------------------------------------------------------
    def inside(self, state: int, place: str) -> list[Item]:
        """The things that lie in a room, in a holder, or are carried."""
        found = []
        for thing in self.things:
            group = thing.place
            if group is None:
                continue
            if place in group.values and state & group.bits[group.values.index(place)]:
                found.append(thing)
        return found

    def fixed(self, room: str) -> Sequence[Item]:
        """The fixtures of a room, doors left out."""
        return self._fixed[room]

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
            atom = spec.Atom("near", (spec.Var("x"),))
            found = self._reach[id_, room] = self._ground.tester(atom)({"x": id_}, room)
        return found

    # --- text ---------------------------------------------------------------------------------
    def room(self, state: int, room: str) -> str:
        """The text of a room as the player in it sees it."""
        key = room, state & self._masks[room]
        found = self._texts.get(key)
        if found is None:
            if len(self._texts) > _FULL:
                self._texts.clear()
            found = self._texts[key] = self._write(state, room)
        return found

    def _write(self, state: int, room: str) -> str:
        say = self.phrases.say
        fixed = [self.item(item, state) for item in self._fixed[room]]
        loose = [self.item(item, state) for item in self.inside(state, room)]
        ways = [self._way(to, doors, state) for to, doors in self._ways[room]]
        parts = [
            say("place", place=self.names[room], Place=self.names[room].capitalize()),
            self._list("fixed", fixed), self._list("loose", loose), self._list("ways", ways),
            self.held(state), self._next(state, room) if self._near else "",
        ]
        return say("view", view="".join(parts))

    def _list(self, key: str, items: Sequence[str]) -> str:
        if not items:
            return self.phrases.say(key + "_none")
        return self.phrases.say(key, items=self.phrases.say("comma").join(items))

    def held(self, state: int) -> str:
        """What the player holds."""
        return self._list("held", [self.item(i, state) for i in self.inside(state, spec.CARRIED)])

    def item(self, item: Item, state: int) -> str:
        """An object with its state and what can be seen in it."""
        say, words = self.phrases.say, item.words(state)
        text = self._named("item", item, words)
        opened = self._open.get(item.id)
        if opened and (opened == TRUE or holds(opened, state)):
            inside = [self._named("item", i, i.words(state)) for i in self.inside(state, item.id)]
            if inside:
                return say("holding", item=text, items=say("comma").join(inside))
            return say("holding_none", item=text)
        return text

    def _named(self, key: str, item: Item, words: Sequence[str]) -> str:
        name = item.name
        if not words:
            return self.phrases.say(key, name=name, a_name=article(name))
        listed = self.phrases.say("words").join(self.phrases.say("word", word=w) for w in words)
        return self.phrases.say(key + "_words", name=name, a_name=article(name), words=listed)

    def _way(self, to: str, doors: Sequence[Item], state: int) -> str:
        if not doors:
            return self.phrases.say("way", place=self.names[to])
        by = self.phrases.say("words").join(self._named("door", d, d.words(state)) for d in doors)
        return self.phrases.say("way_door", place=self.names[to], door=by)

    def _next(self, state: int, room: str) -> str:
        found = []
        for to, _ in self._ways[room]:
            seen = [*self._fixed[to], *self.inside(state, to)]
            if seen:
                items = [self._named("item", i, i.words(state)) for i in seen]
                found.append(self.phrases.say(
                    "next", place=self.names[to], items=self.phrases.say("comma").join(items)
                ))
        return self._list("nexts", found)

    def clear(self) -> None:
        """Forget all texts (for measuring from a cold start)."""
        self._texts.clear()
        for item in self.items.values():
            item.texts.clear()
