"""A state → the text of what the player sees: rooms, things, ways, what is held.

Everything static is worked out when the engine is made. A view is joined from parts (the fixed things, the
ways …), and each part is remembered by the bits that it depends on. The order is fixed: place, fixed things
with their state, loose things, ways, what is held, the player's own state, and what can be seen of other rooms:
with scope `neighbours` of those next door, where no drawn attributes are told, with `everything` of all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from sandbox.world import spec
from sandbox.world.bits import FALSE, TRUE, Condition, Memo, Memos, both, either, holds, reads
from sandbox.world.dynamics import Dynamics
from sandbox.world.phrases import Phrases
from sandbox.world.wording import Item, Text, Wording
from sandbox.world.world import World

OPTIONAL = (
    "far", "inner", "inner_words", "inner_comma", "content_comma", "holding_bare", "holding_none_bare", "mood", "marks",
    "legend", "aim", "aim_held", "aim_gone", "aim_at", "note_states", "note_delta",
)  # fmt: skip
"""Phrases that a form of observation may have; without one, its next of kin is said, or nothing."""
GAPS = ("name", "a_name", "place", "Place", "open", "mark", "marks")
"""Gaps that only some forms fill."""

Places = Mapping[str, Sequence[tuple[int, Item]]]
"""Place → what can ever be there, with the bit that says that it is."""


class View:
    """Writes what is seen in a world. Built once per engine; `room(state, id)` is the view of a room."""

    def __init__(self, world: World, dynamics: Dynamics) -> None:
        ground = dynamics.ground
        self._ground, self.names, self._observed = ground, world.names, world.observation
        self._near = dynamics.near
        self.phrases = Phrases(world.observation.phrases, f"observation {world.observation.form!r}")
        self.memos = Memos()
        self.wording = Wording(world, ground, dynamics.seen, self.phrases, self.memos)
        self.items = self.wording.items
        self._comma = self.phrases.say("comma")
        self._inner_comma = self.phrases.first("inner_comma", "comma")
        self.content_comma = self.phrases.first("content_comma", "inner_comma", "comma")
        self._frame = self.phrases.around("view", "view")
        self._lists = {
            key: (self.phrases.around(key, "items"), self.phrases.say(key + "_none"))
            for key in ("fixed", "loose", "ways", "held", "you")
        }
        self._between_rooms, self._no_rooms = self.phrases.say("nexts_comma"), self.phrases.say("nexts_none")
        self._around_rooms = self.phrases.around("nexts", "items")
        self._full = world.observation.changes == "full"
        self._arrivals: dict[tuple[str, str], tuple[int, Text]] = {}
        self._glimpses: dict[str, tuple[Sequence[str], Callable[[int], list[str]]]] = {}
        self._fixed = self._find_fixed(world)
        self._ways = self._find_ways(world)
        self._places = _find_places([self.items[i] for i in ground.members("thing")])
        self._movers = _find_places([self.items[i] for i in ground.members("fixture")])
        self._open = {h: ground.fact(spec.Fact("open", (h,), True)) for h in ground.members("holder")}
        self._sight: dict[tuple[str, str], Condition] = {}
        self._light = {room: ground.tester(spec.Atom("sight", ()))({}, room) for room in world.layout.rooms}
        named = {id_: self.wording.named(item, "item") for id_, item in self.items.items()}
        inner = "inner" in self.phrases
        self._inner = {i: self.wording.named(o, "inner") for i, o in self.items.items()} if inner else named
        self._whole = {id_: self._with_content(item, named[id_]) for id_, item in self.items.items()}
        self.held = self._lying("held", spec.CARRIED)
        self.you = self._own_state()
        self._afar = self._find_afar(world.layout.rooms)
        self._scenes = {room: self._scene(room) for room in world.layout.rooms}
        self._rooms = {room: self._room(room) for room in world.layout.rooms}

    # --- what is where ------------------------------------------------------------------------
    def _find_fixed(self, world: World) -> dict[str, list[Item]]:
        """The fixtures that stand in each room for ever, doors left out."""
        fixed: dict[str, list[Item]] = {room: [] for room in world.layout.rooms}
        for id_ in self._ground.members("fixture"):
            place = self._ground.start_value(spec.PLACE, (id_,))
            door = world.rules.kind_of(self._ground.kinds[id_], "door")
            if place in fixed and self.items[id_].place is None and not door:
                fixed[str(place)].append(self.items[id_])
        return fixed

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

    def _find_afar(self, rooms: Sequence[str]) -> dict[str, dict[str, Text]]:
        """Room → the other rooms that can be seen from it, with what is seen of them."""
        scope = self._observed.scope
        if scope == "room":
            return {room: {} for room in rooms}
        if scope == "neighbours":
            inner = "inner" if "inner" in self.phrases else "item"
            texts = {id_: self.wording.from_afar(item, inner) for id_, item in self.items.items()}
            glances = {room: self._glance(room, texts, "next") for room in rooms}
            return {room: {to: glances[to] for to, _ in self._ways[room]} for room in rooms}
        texts = {id_: self._with_content(item, self._inner[id_]) for id_, item in self.items.items()}
        glances = {room: self._glance(room, texts, "far", self._doors(room)) for room in rooms}
        return {room: {to: glances[to] for to in rooms if to != room} for room in rooms}

    def _doors(self, room: str) -> list[Item]:
        """The doors of a room that are listed with it where all rooms are: each is listed once."""
        return [door for to, doors in self._ways[room] for door in doors if room < to]

    def inside(self, state: int, place: str) -> list[Item]:
        """The things that lie in a room, in a holder, or are carried."""
        return [thing for bit, thing in self._places.get(place, ()) if state & bit]

    def ways(self, room: str) -> Sequence[tuple[str, list[Item]]]:
        """The ways out of a room with the doors that stand in them."""
        return self._ways[room]

    def in_reach(self, id_: str, state: int, room: str) -> bool:
        """Whether an object is within the player's reach in a room."""
        return holds(self._near(id_, room), state)

    def sees(self, id_: str, state: int, room: str) -> bool:
        """Whether the player in a room can see an object: within reach, or in a room that is in view."""
        found = self._sight.get((id_, room))
        if found is None:
            found = self._sight[id_, room] = either([self._near(id_, room), self._in_view(id_, room)])
        return holds(found, state)

    def _in_view(self, id_: str, room: str) -> Condition:
        """The condition that an object is in another room of which something is seen."""
        place, start = self.items[id_].place, self._ground.start_value(spec.PLACE, (id_,))
        found = []
        for to in self._afar[room]:
            there = place.test(to) if place is not None else TRUE if start == to else FALSE
            found.append(both(both(self._light[room], self._light[to]), there))
        return either(found)

    # --- text ---------------------------------------------------------------------------------
    def room(self, state: int, room: str) -> str:
        """The text of a room as the player in it sees it."""
        return self._rooms[room].at(state)

    def brightens(self, old: int, new: int, room: str) -> bool:
        """Whether a room in which it was too dark to see can be seen now."""
        light = self._light[room]
        return light != TRUE and holds(light, new) and not holds(light, old)

    def entered(self, old: int, before: str, new: int, room: str) -> str:
        """The text of a room that the player has just come into from the room `before`, in state `old`.

        With `changes` full it is that of the room; with delta, what is no news is left out.
        """
        if self._full:
            return self._rooms[room].at(new)
        found = self._arrivals.get((before, room))
        if found is None:
            found = self._arrivals[before, room] = self._arrival(before, room)
        mask, plain = found
        return self._news(old, before, new, room) if (old ^ new) & mask else plain.at(new)

    def _arrival(self, before: str, room: str) -> tuple[int, Text]:
        """What is told of a room on coming from another one while nothing but that changes in the bits returned."""
        known = {before: self._afar[room].get(before), **self._afar[before]}
        fresh = [glance for to, glance in self._afar[room].items() if to not in known]
        parts = [self._scenes[room], *(self._lit(room, [self._list_afar(fresh)]) if fresh else ())]
        told = [self._afar[room][to] for to in known if to in self._afar[room]]
        light = self._light[before]
        mask = _bits([self.held, self.you, *told]) | (0 if light == TRUE or not self._afar[room] else -1)
        return mask, self._joined(parts, self._frame)

    def _news(self, old: int, before: str, new: int, room: str) -> str:
        """What is told of a room on coming from another one while more has changed than the place."""
        text = self._scenes[room].at(new)
        for part in (self.held, self.you):
            if (old ^ new) & part.mask and part.at(old) != (now := part.at(new)):
                text += now
        afar = self._afar[room]
        if afar and holds(self._light[room], new):
            known = {before, *self._afar[before]} if holds(self._light[before], old) else set()
            text += self._say_afar([
                self._news_of(to, old, new) if to in known else glance.at(new) for to, glance in afar.items()
                if to not in known or (old ^ new) & glance.mask
            ])
        return text.join(self._frame)

    def _news_of(self, room: str, old: int, new: int) -> str:
        """What is to be seen in a room now and was not, or looked otherwise, in the state before."""
        if not holds(self._light[room], new):
            return ""
        around, items = self._glimpses[room]
        was = set(items(old)) if holds(self._light[room], old) else set()
        seen = [item for item in items(new) if item not in was]
        return self._inner_comma.join(seen).join(around) if seen else ""

    def _say_afar(self, glances: Iterable[str]) -> str:
        seen = [text for text in glances if text]
        return self._between_rooms.join(seen).join(self._around_rooms) if seen else self._no_rooms

    def _room(self, room: str) -> Text:
        parts = [self._scenes[room], self.held, self.you]
        if self._afar[room]:
            parts += self._lit(room, [self._list_afar(list(self._afar[room].values()))])
        return self._joined(parts, self._frame)

    def _scene(self, room: str) -> Text:
        """Place, fixed things, loose things, ways: what is new when one comes in."""
        name = self.names[room]
        place = self.phrases.say("place", place=name, Place=name.capitalize())
        fixed = [self._whole[item.id] for item in self._fixed[room]]
        moving, movers = self._things_in(self._movers, room, self._whole)
        ways = [self._way(to, doors) for to, doors in self._ways[room]]
        mood = self.phrases.texts.get(f"mood.{room}", "")
        return self._joined([
            self.memos.new(0, lambda _: place),
            *self._lit(room, [
                *([self.memos.new(0, lambda _: mood)] if mood else []),
                self.memos.new(
                    _bits(fixed) | moving,
                    lambda state: self._list("fixed", [item.at(state) for item in fixed] + movers(state)),
                ),
                self._lying("loose", room),
            ], "dark"),
            self.memos.new(_bits(ways), lambda state: self._list("ways", [way.at(state) for way in ways])),
        ])

    def _joined(self, parts: Sequence[Text], frame: Sequence[str] = ("", "")) -> Text:
        """Texts one after the other in a frame; what never changes is put together once."""
        rows: list[tuple[str, Text]] = []
        constant = frame[0]
        for part in parts:
            if part.mask:
                rows.append((constant, part))
                constant = ""
            else:
                constant += part.at(0)
        last = constant + frame[1]
        if not rows:
            return self.memos.new(0, lambda _: last)
        return self.memos.new(
            _bits(parts), lambda state: "".join([before + part.at(state) for before, part in rows]) + last
        )

    def _lit(self, room: str, parts: list[Text], otherwise: str = "") -> list[Text]:
        """Texts as they are while there is light to see in a room; else one text in their place."""
        light = self._light[room]
        if light == TRUE:
            return parts
        dark = self.phrases.say(otherwise) if otherwise else ""
        whole = self._joined(parts)
        return [self.memos.new(
            reads(light) | whole.mask, lambda state: whole.at(state) if holds(light, state) else dark
        )]

    def _own_state(self) -> Text:
        """The words for the player's own state: the values of functions without parameters."""
        looks = self.wording.looks()

        def write(state: int) -> str:
            return self._list("you", self.wording.say(w for mask, words in looks if (w := words[state & mask])))

        return self.memos.new(sum(mask for mask, _ in looks), write)

    def _list(self, key: str, items: Sequence[str]) -> str:
        around, none = self._lists[key]
        return self._comma.join(items).join(around) if items else none

    def _lying(self, key: str, place: str) -> Text:
        """The list of what lies in a place."""
        mask, things = self._things_in(self._places, place, self._whole)
        return self.memos.new(mask, lambda state: self._list(key, things(state)))

    @staticmethod
    def _things_in(places: Places, place: str, texts: Mapping[str, Text]) -> tuple[int, Callable[[int], list[str]]]:
        """The things that lie in a place, each as its text says it, and the bits that this depends on."""
        things = [(bit, texts[thing.id]) for bit, thing in places.get(place, ())]
        mask = _bits(text for _, text in things) | sum(bit for bit, _ in things)
        return mask, lambda state: [text.at(state) for bit, text in things if state & bit]

    def _list_afar(self, glances: Sequence[Text]) -> Text:
        """The list of what can be seen in other rooms."""
        return self.memos.new(_bits(glances), lambda state: self._say_afar([glance.at(state) for glance in glances]))

    def _glance(self, room: str, texts: Mapping[str, Text], key: str, doors: Sequence[Item] = ()) -> Text:
        """What can be seen in a room from another one, or ''."""
        fixed = [texts[item.id] for item in (*self._fixed[room], *doors)]
        moving, movers = self._things_in(self._movers, room, texts)
        mask, loose = self._things_in(self._places, room, texts)
        around = self.phrases.around(key if key in self.phrases else "next", "items", place=self.names[room])

        def items(state: int) -> list[str]:
            return [item.at(state) for item in fixed] + movers(state) + loose(state)

        def write(state: int) -> str:
            seen = items(state)
            return self._inner_comma.join(seen).join(around) if seen else ""

        self._glimpses[room] = around, items
        return self._lit(room, [self.memos.new(_bits(fixed) | moving | mask, write)])[0]

    def _way(self, to: str, doors: Sequence[Item]) -> Text:
        """A way to a room and the doors that stand in it."""
        if not doors:
            way = self.phrases.say("way", place=self.names[to])
            return self.memos.new(0, lambda _: way)
        named = [self.wording.named(door, "door") for door in doors]
        around, between = self.phrases.around("way_door", "door", place=self.names[to]), self.phrases.say("words")
        return self.memos.new(
            _bits(named), lambda state: between.join([door.at(state) for door in named]).join(around)
        )

    def _with_content(self, item: Item, named: Text) -> Text:
        """An object with its state and, when it is open, what lies in it."""
        opened = self._open.get(item.id)
        if not opened:
            return named
        mask, inside = self._things_in(self._places, item.id, self._inner)

        def write(state: int) -> str:
            text = named.at(state)
            return self._holding(item, text, inside(state), state) if holds(opened, state) else text

        return self.memos.new(named.mask | mask | reads(opened), write)

    def _holding(self, item: Item, text: str, inside: Sequence[str], state: int) -> str:
        """An open object and what lies in it. `<open>` is its text without the last character."""
        key = "holding" if inside else "holding_none"
        if key + "_bare" in self.phrases and not item.tells(state):
            key += "_bare"
        items = self.content_comma.join(inside)
        return self.phrases.say(key, item=text, open=text[:-1], items=items, name=item.name)

    # --- what the help page tells of it ---------------------------------------------------------
    def notes(self) -> list[str]:
        """How the texts are to be read: the signs of the form, and what they hold back."""
        keys = ("legend", f"note_{self._observed.hidden}", f"note_{self._observed.changes}")
        return [self.phrases.say(key, marks=self.wording.legend()) for key in keys if key in self.phrases]

    # --- the goal -----------------------------------------------------------------------------
    def aim(self, fact: spec.Fact) -> str:
        """A goal fact in the signs of the observation, or '' where its form says goals in sentences."""
        if "aim" not in self.phrases or not fact.want or not fact.args:
            return ""
        name, place = self.names[fact.args[0]], str(fact.value)
        if fact.name == spec.PLACE:
            key = {spec.CARRIED: "aim_held", spec.GONE: "aim_gone"}.get(place, "aim_at")
            return self.phrases.say(key, name=name, place=self.names.get(place, ""))
        sign = self.wording.sign(fact.name, fact.value)
        return self.phrases.say("aim", name=name, word=sign) if sign else ""


def _find_places(items: Iterable[Item]) -> dict[str, list[tuple[int, Item]]]:
    """For each place, which of some objects can ever be there, with the bit that says so."""
    found: dict[str, list[tuple[int, Item]]] = {}
    for item in items:
        if item.place is not None:
            for place, bit in zip(item.place.values, item.place.bits, strict=True):
                found.setdefault(str(place), []).append((bit, item))
    return found


def _bits(texts: Iterable[Memo[str]]) -> int:
    """The bits that some texts depend on."""
    bits = 0
    for text in texts:
        bits |= text.mask
    return bits
