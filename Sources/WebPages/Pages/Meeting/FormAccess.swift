import Contract

/// How people reach a meeting's form: by its link and codes, or by personal links. The values of the template
/// `host-invite`.
struct FormAccess: TemplateValues {
    /// Whether people can be invited: the form is published, or it requires personal links.
    var canInvite: Bool
    /// Whether the form no longer accepts answers.
    var isShut: Bool
    var isOpen: Bool
    /// Set if the form requires personal links.
    var personal: ListedPeople?
    /// The form's address, to be shared.
    var link: String
    var joinCode: String
    /// Whether the page links to the check-in code for the door.
    var hasDoor: Bool
    var unreachable: UnreachableAddress?

    init(_ context: MeetingContext) async throws {
        let (meeting, form, page) = (context.meeting, context.form, context.page)
        if form.definition.identity == "attendee" {
            personal =
                context.canEdit
                ? try await ListedPeople(of: meeting, form, context.session) : ListedPeople(forViewers: page)
        }
        canInvite = form.state != "draft" || personal != nil
        (isShut, isOpen) = (context.isShut, form.state == "open")
        (link, joinCode) = ("\(page.kit.options.publicURL)/f/\(form.code)", form.joinCode)
        hasDoor = context.canEdit && meeting.startsAt != nil
        unreachable = page.unreachable
    }
}
