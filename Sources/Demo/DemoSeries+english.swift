import Domain

extension DemoSeries {
    static let retro = DemoSeries(
        title: "Team retro", roundTitle: "Team retro, week {n}", timeZone: "Europe/Berlin", place: "Room Ada",
        weekday: 6, hour: 14, minutes: 60, weeks: 1, rounds: 46, weeksAgo: 0, headcount: 9, share: 0.88,
        questions: [
            .rating("useful", "How useful was this meeting?", low: "a waste of time", high: "very useful"),
            .pace("pace", "How was the pace?", low: "too slow", high: "too fast"),
            DemoQuestion(
                question: Question(
                    key: "topics", title: "What helped?",
                    kind: .choice(
                        .init(
                            options: [
                                .init(id: "demo", label: "The demo"), .init(id: "board", label: "Looking at the board"),
                                .init(id: "talk", label: "The discussion"), .init(id: "actions", label: "The actions"),
                            ], multiple: true, other: true))),
                habit: .chooses(
                    [("demo", 0.6, 0.3), ("board", 0.35, 0.3), ("talk", 0.7, 0.25), ("actions", 0.5, 0.1)],
                    own: ["the cake", "Mia's summary", "getting it off my chest"])),
            DemoQuestion(
                question: Question(key: "change", title: "What should we change?", kind: .text(maxLength: 500)),
                habit: .writes(
                    good: [
                        "Nothing, keep going.", "More demos, they make the week visible.", "Let's keep the timer.",
                        "The actions of last week were done, that was new!", "Ten minutes less and it is perfect.",
                        "Invite support again, their view helped.",
                    ],
                    bad: [
                        "Please stick to the agenda.", "We talked about the build for half an hour.",
                        "Too many people, two of them spoke.", "Same actions as last time. Who owns them?",
                        "Half of us sat with cameras off.", "Start on time, we lost fifteen minutes.",
                    ], share: 0.4)),
        ], from: 0.5, to: 0.8, events: [12: 0.22, 13: 0.3, 31: 0.93])

    static let lecture = DemoSeries(
        title: "Distributed systems", roundTitle: "Lecture {n}", timeZone: "Europe/Zurich", place: "HG F 30",
        weekday: 3, hour: 10, minutes: 105, weeks: 1, rounds: 14, weeksAgo: 4, headcount: 118, share: 0.55,
        questions: [
            .rating("clear", "How clear was it?", low: "I was lost", high: "crystal clear"),
            .pace("pace", "How was the pace?", low: "too slow", high: "too fast"),
            DemoQuestion(
                question: Question(
                    key: "year", title: "You study in your",
                    kind: .choice(
                        .init(options: [
                            .init(id: "second", label: "second year"), .init(id: "third", label: "third year"),
                            .init(id: "master", label: "master's"),
                        ]))),
                habit: .chooses([("second", 0.3, 0.5), ("third", 0.45, 0.35), ("master", 0.25, 0.15)], own: [])),
            DemoQuestion(
                question: Question(key: "unclear", title: "What is still unclear?", kind: .text(maxLength: 500)),
                habit: .writes(
                    good: [
                        "When is quorum reading cheaper?", "Nothing, thank you!",
                        "Could you repeat the proof's last step?",
                        "The example with the two generals helped a lot.", "More exercises like this one, please.",
                    ],
                    bad: [
                        "Everything after the break.", "The slides were too small to read from row 12.",
                        "Paxos. All of it.", "Why a log and not the state itself?", "Too fast from vector clocks on.",
                        "The microphone was off half of the time.",
                    ], share: 0.3)),
        ], from: 0.6, to: 0.72, events: [5: 0.28, 9: 0.88])

    static let townHall = DemoSeries(
        title: "Town hall", roundTitle: "Town hall, quarter {n}", timeZone: "Europe/Berlin",
        place: "Canteen and online",
        weekday: 5, hour: 16, minutes: 60, weeks: 13, rounds: 4, weeksAgo: 3, headcount: 160, share: 0.62,
        questions: [
            DemoQuestion(
                question: Question(
                    key: "recommend", title: "How likely are you to recommend working here?",
                    kind: .rating(
                        .init(
                            min: 0, max: 10, minLabel: "not at all", maxLabel: "very", metric: .nps))), habit: .rises),
            DemoQuestion(
                question: Question(
                    key: "where", title: "You were here",
                    kind: .choice(
                        .init(options: [
                            .init(id: "room", label: "in the room"), .init(id: "online", label: "online"),
                        ]))),
                habit: .chooses([("room", 0.6, 0.4), ("online", 0.4, 0.6)], own: [])),
            DemoQuestion(
                question: Question(key: "ask", title: "What should we answer next time?", kind: .text(maxLength: 500)),
                habit: .writes(
                    good: [
                        "More of the customers' stories, please.", "How can teams visit the new office?",
                        "Thank you for the plain numbers.",
                    ],
                    bad: [
                        "What happens to the old product?", "Why do we hear of it in the news first?",
                        "Are there going to be raises this year?",
                    ],
                    share: 0.25)),
        ], from: 0.62, to: 0.8, events: [2: 0.5])
}

extension DemoQuestion {
    static func rating(_ key: String, _ title: String, low: String, high: String) -> DemoQuestion {
        DemoQuestion(
            question: Question(
                key: key, title: title, required: true,
                kind: .rating(.init(min: 1, max: 5, minLabel: low, maxLabel: high))), habit: .rises)
    }

    static func pace(_ key: String, _ title: String, low: String, high: String) -> DemoQuestion {
        DemoQuestion(
            question: Question(
                key: key, title: title, kind: .rating(.init(min: 1, max: 5, minLabel: low, maxLabel: high))),
            habit: .centres)
    }
}

extension DemoSeries {
    /// A single anonymous round.
    static let pulse = DemoSeries(
        title: "How we work together", roundTitle: "How we work together", timeZone: "Europe/Berlin", place: "Room Ada",
        weekday: 5, hour: 11, minutes: 45, weeks: 1, rounds: 1, weeksAgo: 0, headcount: 24, share: 0.8,
        questions: [
            .rating("safe", "I can say what I think", low: "never", high: "always"),
            .rating("load", "My work is manageable", low: "not at all", high: "fully"),
            DemoQuestion(
                question: Question(
                    key: "need", title: "What would help most?",
                    kind: .choice(
                        .init(options: [
                            .init(id: "focus", label: "Time without meetings"),
                            .init(id: "clarity", label: "Clear aims"),
                            .init(id: "people", label: "More people"),
                        ]))),
                habit: .chooses([("focus", 0.4, 0.3), ("clarity", 0.35, 0.4), ("people", 0.25, 0.3)], own: [])),
            DemoQuestion(
                question: Question(key: "say", title: "What else should we know?", kind: .text(maxLength: 500)),
                habit: .writes(
                    good: ["I like working here.", "The new planning helps.", "Thank you for asking."],
                    bad: ["Decisions change every week.", "I am tired.", "Nobody reads what we write here, do you?"],
                    share: 0.5)),
        ], from: 0.6, to: 0.6)
}
