import Contract

/// Who can answer a form of personal links: nobody gets in by its code, so that is not what its host is shown.
struct ListedPeople {
    /// Beyond these nobody is counted for a page.
    private static let most = 200

    private let count: Int
    private let isCut: Bool

    var isEmpty: Bool { count == 0 }

    init(of meeting: Meeting, _ visit: HostSession) async throws {
        let list: Page<Attendee> = try await visit.get("/v1/meetings/\(meeting.id)/attendees?limit=\(Self.most)")
        (count, isCut) = (list.items.count, list.next != nil)
    }

    func values(_ form: Form, _ page: PageRequest) -> [String: Any] {
        let texts = page.texts
        let takesAnswers = form.state == "open" || form.state == "scheduled"
        let words =
            isEmpty
            ? texts("listed.none")
            : isCut
                ? texts("listed.more", ["count": "\(count)"])
                : count == 1 ? texts("listed.one") : texts("listed.count", ["count": "\(count)"])
        var values: [String: Any] = [
            "words": words, "isNobody": isEmpty, "canAdd": true, "key": SubmitToken.make(),
            "isMailing": takesAnswers && !isEmpty && page.kit.options.sendsMail,
        ]
        if takesAnswers, !isEmpty {
            values["byHand"] = page.kit.unmailed(texts, "listed")
            values["nearby"] = page.kit.options.openingFlags == nil ? nil : texts("listed.unreachable")
        }
        return values
    }

    /// For those who may only look, and do not see the list.
    static func forViewers(_ page: PageRequest) -> [String: Any] {
        ["words": page.texts("listed.by-link"), "isNobody": false, "canAdd": false, "isMailing": false]
    }
}
