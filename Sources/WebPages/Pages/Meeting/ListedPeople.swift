import Contract

/// The attendee list of a form that requires personal links, which a host sees in place of the form's code.
struct ListedPeople {
    /// Attendees that are counted for the page.
    private static let limit = 200

    private let count: Int
    private let isCut: Bool

    var isEmpty: Bool { count == 0 }

    init(of meeting: Meeting, _ session: HostSession) async throws {
        let list: Page<Attendee> = try await session.get("/v1/meetings/\(meeting.id)/attendees?limit=\(Self.limit)")
        (count, isCut) = (list.items.count, list.next != nil)
    }

    struct Values: TemplateValues {
        var words: String
        var canAdd = false
        var isNobody = false
        var isMailing = false
        var key = ""
        /// How to hand out links if the service sends no mail.
        var byHand: String?
        /// That links work only near the service.
        var nearby: String?
    }

    func values(_ form: Form, _ page: PageRequest) -> Values {
        let texts = page.texts
        let canAnswer = !isEmpty && (form.state == "open" || form.state == "scheduled")
        let words =
            isEmpty
            ? texts("listed.none")
            : isCut
                ? texts("listed.more", ["count": "\(count)"])
                : count == 1 ? texts("listed.one") : texts("listed.count", ["count": "\(count)"])
        return Values(
            words: words, canAdd: true, isNobody: isEmpty, isMailing: canAnswer && page.kit.options.sendsMail,
            key: SubmitToken.make(), byHand: canAnswer ? page.kit.unmailed(texts, "listed") : nil,
            nearby: canAnswer && page.kit.options.openingFlags != nil ? texts("listed.unreachable") : nil)
    }

    /// For viewers, who may not see the list.
    static func forViewers(_ page: PageRequest) -> Values { Values(words: page.texts("listed.by-link")) }
}
