import Contract

/// The attendee list of a meeting whose form requires personal links. Hosts see it in place of the form's code.
struct ListedPeople {
    /// Longer lists are described as "more than 200 people".
    private static let maxCount = 200

    private let count: Int
    /// Whether the list is longer than `count`.
    private let hasMore: Bool

    var isEmpty: Bool { count == 0 }

    init(of meeting: Meeting, _ session: HostSession) async throws {
        let list: Page<Attendee> = try await session.get("/v1/meetings/\(meeting.id)/attendees?limit=\(Self.maxCount)")
        (count, hasMore) = (list.items.count, list.next != nil)
    }

    struct Values: TemplateValues {
        /// Who can answer.
        var summary: String
        var canAdd = false
        var isEmpty = false
        /// Whether the service can mail the personal links.
        var isMailing = false
        /// The idempotency key of the mailing.
        var key = ""
        /// Explains how to hand out personal links; set if the service sends no mail.
        var noMailNotice: String?
        /// Warns that the links work on the service's own computer only.
        var unreachableNotice: String?
    }

    func values(_ form: Form, _ page: PageRequest) -> Values {
        let texts = page.texts
        let canAnswer = !isEmpty && (form.state == "open" || form.state == "scheduled")
        let summary =
            isEmpty
            ? texts("listed.none")
            : hasMore
                ? texts("listed.more", ["count": "\(count)"])
                : count == 1 ? texts("listed.one") : texts("listed.count", ["count": "\(count)"])
        return Values(
            summary: summary, canAdd: true, isEmpty: isEmpty, isMailing: canAnswer && page.kit.options.sendsMail,
            key: SubmitToken.make(), noMailNotice: canAnswer ? page.kit.noMailNotice(texts, "listed") : nil,
            unreachableNotice: canAnswer && page.kit.options.reachabilityFlags != nil
                ? texts("listed.unreachable") : nil)
    }

    /// What viewers see, who have no access to the list.
    static func forViewers(_ page: PageRequest) -> Values { Values(summary: page.texts("listed.by-link")) }
}
