import Contract

/// The attendee list of a meeting whose form requires personal links. Hosts see it in place of the form's code.
struct ListedPeople: TemplateValues {
    /// Longer lists are described as "more than 200 people".
    private static let maxCount = 200

    /// Who can answer.
    var summary: String
    var canAdd = false
    var isEmpty = false
    /// Whether the service can mail the personal links.
    var canMail = false
    /// The idempotency key of the mailing.
    var key = ""
    /// Explains how to hand out personal links; set if the service sends no mail.
    var noMailNotice: String?
    /// Warns that the links work on the service's own computer only.
    var unreachableNotice: String?

    /// What viewers see. They have no access to the list.
    init(forViewers page: PageRequest) { summary = page.texts("listed.by-link") }

    init(of meeting: Meeting, _ form: Form, _ session: HostSession) async throws {
        let (texts, kit) = (session.page.texts, session.page.kit)
        let list: Page<Attendee> = try await session.get("/v1/meetings/\(meeting.id)/attendees?limit=\(Self.maxCount)")
        let count = list.items.count
        canAdd = true
        isEmpty = count == 0
        key = SubmitToken.make()
        summary =
            isEmpty
            ? texts("listed.none")
            : list.next != nil
                ? texts("listed.more", ["count": "\(count)"])
                : count == 1 ? texts("listed.one") : texts("listed.count", ["count": "\(count)"])
        guard !isEmpty, form.state == "open" || form.state == "scheduled" else { return }
        canMail = kit.options.sendsMail
        noMailNotice = kit.noMailNotice(texts, "listed")
        unreachableNotice = kit.options.isForThisMachine ? texts("listed.unreachable") : nil
    }
}
