import Domain
import Foundation

/// A series of the demo, with its questions and the quality of its rounds.
struct DemoSeries: Sendable {
    let title: String
    /// The title of a round. `{n}` is replaced by the round number.
    let roundTitle: String
    let timeZone: String
    let place: String
    /// The weekday (Sunday is 1) and the hour of the meetings, in `timeZone`.
    let weekday: Int
    let hour: Int
    let minutes: Int
    /// The number of weeks from one round to the next.
    let weeks: Int
    let rounds: Int
    /// The minimum number of weeks since the last round.
    let weeksAgo: Int
    let headcount: Int
    /// The share of participants who answer.
    let share: Double
    let questions: [DemoQuestion]
    /// The quality of the first and of the last round, from 0 to 1.
    let firstQuality: Double
    let lastQuality: Double
    /// The quality of unusually bad or good rounds, by round number.
    var exceptions: [Int: Double] = [:]
    /// The members on the roster.
    var members: [(name: String, email: String)] = []

    /// Returns the quality of a round, from 0 to 1.
    func quality(of round: Int, _ numbers: inout SeededNumbers) -> Double {
        if let exception = exceptions[round] { return exception }
        let progress = rounds > 1 ? Double(round - 1) / Double(rounds - 1) : 1
        return min(0.95, max(0.1, firstQuality + (lastQuality - firstQuality) * progress + 0.05 * numbers.bell()))
    }

    /// Returns the start of each round. The last round ended at least `weeksAgo` weeks before `now`.
    func starts(before now: Date) throws -> [Date] {
        guard let zone = TimeZone(identifier: timeZone) else { throw UnknownZone(name: timeZone) }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let latest = now.addingTimeInterval(-Double(weeksAgo) * 7 * 86_400 - Double(minutes) * 60)
        let moment = DateComponents(hour: hour, minute: 0, second: 0, weekday: weekday)
        guard
            let last = calendar.nextDate(
                after: latest, matching: moment, matchingPolicy: .nextTime, direction: .backward)
        else { return [] }
        return (0..<rounds).reversed().compactMap {
            calendar.date(byAdding: .day, value: -7 * weeks * $0, to: last)
        }
    }

    struct UnknownZone: Error, CustomStringConvertible {
        let name: String
        var description: String { "The system knows no time zone \(name): install tzdata." }
    }
}

extension DemoSeries {
    static let retro = DemoSeries(
        title: "Team retro", roundTitle: "Team retro, week {n}", timeZone: "Europe/Berlin", place: "Room Ada",
        weekday: 6, hour: 14, minutes: 60, weeks: 1, rounds: 46, weeksAgo: 0, headcount: 9, share: 0.88,
        questions: [
            .rating("useful", "How useful was this meeting?", low: "a waste of time", high: "very useful"),
            .pace("pace", "How was the pace?", low: "too slow", high: "too fast"),
            .choice(
                "topics", "What helped?",
                [
                    ("demo", "The demo", 0.6, 0.3), ("board", "Looking at the board", 0.35, 0.3),
                    ("talk", "The discussion", 0.7, 0.25), ("actions", "The actions", 0.5, 0.1),
                ], multiple: true, freeTexts: ["the cake", "Mia's summary", "getting it off my chest"]),
            .text(
                "change", "What should we change?",
                good: [
                    "Nothing, keep going.", "More demos, they make the week visible.", "Let's keep the timer.",
                    "The actions of last week were done, that was new!", "Ten minutes less and it is perfect.",
                    "Invite support again, their view helped.",
                ],
                bad: [
                    "Please stick to the agenda.", "We talked about the build for half an hour.",
                    "Too many people, two of them spoke.", "Same actions as last time. Who owns them?",
                    "Half of us sat with cameras off.", "Start on time, we lost fifteen minutes.",
                ], share: 0.4),
            .text(
                "wasted", "What wasted your time?",
                good: ["The room was booked twice.", "Nothing big, I was just tired."],
                bad: [
                    "Three people repeated what the board shows.", "Waiting for the projector.",
                    "A discussion that two of us should have had alone.",
                ], share: 0.8, showIf: ShowIf(.init("useful", .atMost(2)))),
        ], firstQuality: 0.5, lastQuality: 0.8, exceptions: [12: 0.22, 13: 0.3, 31: 0.93])

    static let lecture = DemoSeries(
        title: "Distributed systems", roundTitle: "Lecture {n}", timeZone: "Europe/Zurich", place: "HG F 30",
        weekday: 3, hour: 10, minutes: 105, weeks: 1, rounds: 14, weeksAgo: 4, headcount: 118, share: 0.55,
        questions: [
            .rating("clear", "How clear was it?", low: "I was lost", high: "crystal clear"),
            .pace("pace", "How was the pace?", low: "too slow", high: "too fast"),
            .choice(
                "year", "You study in your",
                [
                    ("second", "second year", 0.3, 0.5), ("third", "third year", 0.45, 0.35),
                    ("master", "master's", 0.25, 0.15),
                ]),
            .text(
                "unclear", "What is still unclear?",
                good: [
                    "When is quorum reading cheaper?", "Nothing, thank you!",
                    "Could you repeat the proof's last step?",
                    "The example with the two generals helped a lot.", "More exercises like this one, please.",
                ],
                bad: [
                    "Everything after the break.", "The slides were too small to read from row 12.",
                    "Paxos. All of it.", "Why a log and not the state itself?", "Too fast from vector clocks on.",
                    "The microphone was off half of the time.",
                ], share: 0.3),
        ], firstQuality: 0.6, lastQuality: 0.72, exceptions: [5: 0.28, 9: 0.88])

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
                            min: 0, max: 10, minLabel: "not at all", maxLabel: "very", metric: .nps))), habit: .rises)
        ]
            + DemoQuestion.grid(
                "work", "What do you think of your work here?",
                ["strongly disagree", "disagree", "neither", "agree", "strongly agree"], abstain: "Cannot judge",
                [
                    ("work_goals", "I know what we want to reach", 0.15),
                    ("work_tools", "I have the tools that I need", 0), ("work_voice", "My opinion counts", -0.1),
                    ("work_growth", "I learn new things", 0.05),
                ]) + [
                .choice("where", "You were here", [("room", "in the room", 0.6, 0.4), ("online", "online", 0.4, 0.6)]),
                .text(
                    "ask", "What should we answer next time?",
                    good: [
                        "More of the customers' stories, please.", "How can teams visit the new office?",
                        "Thank you for the plain numbers.",
                    ],
                    bad: [
                        "What happens to the old product?", "Why do we hear of it in the news first?",
                        "Are there going to be raises this year?",
                    ],
                    share: 0.25),
            ], firstQuality: 0.62, lastQuality: 0.8, exceptions: [2: 0.5])
}

extension DemoQuestion {
    /// - Parameter abstain: The label of the abstention, if the question offers one.
    static func rating(
        _ key: String, _ title: String, low: String, high: String, abstain: String? = nil
    ) -> DemoQuestion {
        DemoQuestion(
            question: Question(
                key: key, title: title, required: true,
                kind: .rating(.init(min: 1, max: 5, minLabel: low, maxLabel: high, abstain: abstain))), habit: .rises)
    }

    /// A question for each statement of a grid on a scale from 1.
    ///
    /// - Parameter statements: The keys, the titles, and how much better or worse than the others they are rated.
    static func grid(
        _ key: String, _ title: String, _ labels: [String], abstain: String? = nil,
        _ statements: [(key: String, title: String, shift: Double)]
    ) -> [DemoQuestion] {
        let rating = Question.Rating(min: 1, max: labels.count, abstain: abstain, labels: labels)
        return statements.map { statement in
            DemoQuestion(
                question: Question(
                    key: statement.key, title: statement.title, kind: .rating(rating),
                    grid: Grid(key: key, title: title)), habit: .shifts(statement.shift))
        }
    }

    static func pace(_ key: String, _ title: String, low: String, high: String) -> DemoQuestion {
        DemoQuestion(
            question: Question(
                key: key, title: title, kind: .rating(.init(min: 1, max: 5, minLabel: low, maxLabel: high))),
            habit: .centers)
    }

    /// A choice, which also allows free text if examples of it are given.
    ///
    /// - Parameter options: The options with their probabilities in a good and in a bad round.
    static func choice(
        _ key: String, _ title: String, _ options: [(id: String, label: String, good: Double, bad: Double)],
        multiple: Bool = false, freeTexts: [String] = []
    ) -> DemoQuestion {
        let choice = Question.Choice(
            options: options.map { Question.Option(id: $0.id, label: $0.label) }, multiple: multiple,
            other: !freeTexts.isEmpty)
        return DemoQuestion(
            question: Question(key: key, title: title, kind: .choice(choice)),
            habit: .chooses(options.map { (id: $0.id, good: $0.good, bad: $0.bad) }, freeTexts: freeTexts))
    }

    /// - Parameter share: The share of participants who write a text.
    static func text(
        _ key: String, _ title: String, maxLength: Int = 500, good: [String], bad: [String], share: Double,
        showIf: ShowIf? = nil
    ) -> DemoQuestion {
        DemoQuestion(
            question: Question(key: key, title: title, showIf: showIf, kind: .text(maxLength: maxLength)),
            habit: .writes(good: good, bad: bad, share: share))
    }
}

extension DemoSeries {
    /// A single anonymous round.
    static let pulse = DemoSeries(
        title: "How we work together", roundTitle: "How we work together", timeZone: "Europe/Berlin", place: "Room Ada",
        weekday: 5, hour: 11, minutes: 45, weeks: 1, rounds: 1, weeksAgo: 0, headcount: 24, share: 0.8,
        questions: [
            .rating("safe", "I can say what I think", low: "never", high: "always"),
            .rating("load", "My work is manageable", low: "not at all", high: "fully", abstain: "I cannot say"),
            .choice(
                "need", "What would help most?",
                [
                    ("focus", "Time without meetings", 0.4, 0.3), ("clarity", "Clear aims", 0.35, 0.4),
                    ("people", "More people", 0.25, 0.3),
                ]),
            .text(
                "say", "What else should we know?",
                good: ["I like working here.", "The new planning helps.", "Thank you for asking."],
                bad: ["Decisions change every week.", "I am tired.", "Nobody reads what we write here, do you?"],
                share: 0.5),
        ], firstQuality: 0.6, lastQuality: 0.6)
}

extension DemoSeries {
    static let review = DemoSeries(
        title: "제품팀 월간 회고", roundTitle: "{n}월차 회고", timeZone: "Asia/Seoul", place: "서울 3층 회의실", weekday: 4, hour: 15,
        minutes: 90, weeks: 4, rounds: 12, weeksAgo: 1, headcount: 16, share: 0.85,
        questions: [
            .rating("useful", "이번 회의는 얼마나 도움이 되었나요?", low: "전혀", high: "아주 많이"),
            .choice(
                "focus", "다음 달에 무엇에 집중할까요?",
                [
                    ("quality", "품질", 0.35, 0.4), ("speed", "속도", 0.25, 0.1), ("customer", "고객 만남", 0.3, 0.15),
                    ("rest", "쉬어 가기", 0.1, 0.35),
                ], freeTexts: ["문서 정리", "새 팀원 적응 돕기"]),
            .text(
                "keep", "계속 이어 가고 싶은 것은 무엇인가요?",
                good: ["매주 데모를 보는 시간이 좋았습니다.", "고객 인터뷰를 함께 들어서 좋았어요.", "회의를 정시에 끝내는 습관이요!", "짝 프로그래밍을 계속하고 싶어요."],
                bad: ["회의가 너무 길었습니다.", "결정이 나지 않은 채로 끝났어요.", "지난달과 같은 이야기를 반복한 것 같아요."], share: 0.5),
        ], firstQuality: 0.55, lastQuality: 0.75, exceptions: [7: 0.25])

    static let study = DemoSeries(
        title: "알고리즘 스터디", roundTitle: "알고리즘 스터디 {n}회", timeZone: "Asia/Seoul", place: "도서관 2층", weekday: 2, hour: 19,
        minutes: 120, weeks: 1, rounds: 24, weeksAgo: 2, headcount: 8, share: 0.9,
        questions: [
            .rating("learned", "오늘 얼마나 배웠나요?", low: "거의 없음", high: "아주 많이"),
            .pace("difficulty", "문제의 난이도는 어땠나요?", low: "너무 쉬움", high: "너무 어려움"),
            .text(
                "next", "다음에 다루고 싶은 주제는 무엇인가요?", maxLength: 300,
                good: ["동적 계획법을 더 해 봐요.", "최단 경로 문제요!", "오늘처럼 함께 푸는 방식이 좋아요.", "세그먼트 트리"],
                bad: ["기초부터 다시 보고 싶어요.", "문제를 조금 줄였으면 합니다.", "설명이 빨라서 따라가기 어려웠어요."], share: 0.45),
        ], firstQuality: 0.5, lastQuality: 0.78, exceptions: [10: 0.3, 20: 0.92],
        members: [
            ("김서연", "seoyeon@example.org"), ("이준호", "junho@example.org"), ("박지우", "jiwoo@example.org"),
            ("최민서", "minseo@example.org"), ("정하은", "haeun@example.org"), ("강도윤", "doyun@example.org"),
            ("조수아", "sua@example.org"), ("윤지호", "jiho@example.org"),
        ])
}
