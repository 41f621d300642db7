import Domain

extension DemoSeries {
    static let review = DemoSeries(
        title: "제품팀 월간 회고", roundTitle: "{n}월차 회고", timeZone: "Asia/Seoul", place: "서울 3층 회의실", weekday: 4, hour: 15,
        minutes: 90, weeks: 4, rounds: 12, weeksAgo: 1, headcount: 16, share: 0.85,
        questions: [
            .rating("useful", "이번 회의는 얼마나 도움이 되었나요?", low: "전혀", high: "아주 많이"),
            DemoQuestion(
                question: Question(
                    key: "focus", title: "다음 달에 무엇에 집중할까요?",
                    kind: .choice(
                        .init(
                            options: [
                                .init(id: "quality", label: "품질"), .init(id: "speed", label: "속도"),
                                .init(id: "customer", label: "고객 만남"), .init(id: "rest", label: "쉬어 가기"),
                            ], other: true))),
                habit: .chooses(
                    [("quality", 0.35, 0.4), ("speed", 0.25, 0.1), ("customer", 0.3, 0.15), ("rest", 0.1, 0.35)],
                    own: ["문서 정리", "새 팀원 적응 돕기"])),
            DemoQuestion(
                question: Question(key: "keep", title: "계속 이어 가고 싶은 것은 무엇인가요?", kind: .text(maxLength: 500)),
                habit: .writes(
                    good: ["매주 데모를 보는 시간이 좋았습니다.", "고객 인터뷰를 함께 들어서 좋았어요.", "회의를 정시에 끝내는 습관이요!", "짝 프로그래밍을 계속하고 싶어요."],
                    bad: ["회의가 너무 길었습니다.", "결정이 나지 않은 채로 끝났어요.", "지난달과 같은 이야기를 반복한 것 같아요."], share: 0.5)),
        ], from: 0.55, to: 0.75, events: [7: 0.25])

    static let study = DemoSeries(
        title: "알고리즘 스터디", roundTitle: "알고리즘 스터디 {n}회", timeZone: "Asia/Seoul", place: "도서관 2층", weekday: 2, hour: 19,
        minutes: 120, weeks: 1, rounds: 24, weeksAgo: 2, headcount: 8, share: 0.9,
        questions: [
            .rating("learned", "오늘 얼마나 배웠나요?", low: "거의 없음", high: "아주 많이"),
            .pace("difficulty", "문제의 난이도는 어땠나요?", low: "너무 쉬움", high: "너무 어려움"),
            DemoQuestion(
                question: Question(key: "next", title: "다음에 다루고 싶은 주제는 무엇인가요?", kind: .text(maxLength: 300)),
                habit: .writes(
                    good: ["동적 계획법을 더 해 봐요.", "최단 경로 문제요!", "오늘처럼 함께 푸는 방식이 좋아요.", "세그먼트 트리"],
                    bad: ["기초부터 다시 보고 싶어요.", "문제를 조금 줄였으면 합니다.", "설명이 빨라서 따라가기 어려웠어요."], share: 0.45)),
        ], from: 0.5, to: 0.78, events: [10: 0.3, 20: 0.92],
        members: [
            ("김서연", "seoyeon@example.org"), ("이준호", "junho@example.org"), ("박지우", "jiwoo@example.org"),
            ("최민서", "minseo@example.org"), ("정하은", "haeun@example.org"), ("강도윤", "doyun@example.org"),
            ("조수아", "sua@example.org"), ("윤지호", "jiho@example.org"),
        ])
}
