import Contract

/// What a meeting's page shows first: the way to its form while people are to answer, what they said once it is over.
struct MeetingStage {
    let meeting: Meeting
    let form: Form
    let series: Series

    private var isOpen: Bool { form.state == "open" }
    private var isShut: Bool { form.state == "closed" || form.state == "final" }
    private var isOver: Bool { isShut || meeting.state == "ended" }
    private var isNewest: Bool { series.latest?.id == meeting.id }

    func values(canEdit: Bool, _ page: PageRequest) -> [String: Any] {
        let isBefore = form.state == "draft" || form.state == "scheduled"
        var values: [String: Any] = [
            "isBefore": isBefore, "isInviting": isOpen && !isOver, "isAfter": !isBefore,
            "isFolded": form.state != "draft" && (!isOpen || isOver),
            "isFoldOpen": isOpen || form.state == "scheduled", "takesNone": isShut,
            "hasResults": !isBefore || meeting.submissions > 0,
            "hasDoor": canEdit && meeting.startsAt != nil,
        ]
        if form.state == "draft" {
            let questions = form.definition.questions.map { ["title": $0.title] }
            values["asks"] = questions.isEmpty ? nil : ["questions": questions]
        }
        if isOver, canEdit { values["next"] = next(page.texts) }
        return values
    }

    /// From one meeting to the next, or to the newest where there are later rounds.
    private func next(_ texts: PageTexts) -> [String: Any]? {
        guard !isNewest else {
            return [
                "isNewest": true, "key": PressKey.make(),
                "words": texts(series.rounds == 1 ? "meeting.next-first" : "meeting.next-more"),
            ]
        }
        return series.latest.map {
            [
                "newest": [
                    "id": "\($0.id)", "title": $0.title, "round": texts("meeting.round", ["round": "\($0.round)"]),
                ]
            ]
        }
    }
}
