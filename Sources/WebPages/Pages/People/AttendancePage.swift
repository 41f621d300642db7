/// The attendee list of a meeting, with the code at its door.
struct AttendancePage: PageModel {
    /// A link to the attendees of one status.
    struct Filter: TemplateValues {
        var path: String
        var label: String
        var isChosen: Bool
    }

    struct Attendee: TemplateValues {
        var id: String
        var name: String
        var email: String
        var status: String
        /// The path of the person's history in the series; nil for a person without an address.
        var historyPath: String?
        /// The buttons that set a status.
        var choices: [PageField.Values.Choice]
        /// Whether the host can create a personal link for the attendee.
        var canGetPersonalLink: Bool
    }

    /// The form that removes walk-ins by the time of their check-in.
    struct WalkIns: TemplateValues {
        /// The number of walk-ins in the chosen period, and a button that removes them.
        struct Confirmation: TemplateValues {
            var text: String
            /// The label of the button.
            var remove: String
            /// Whether the period has walk-ins to remove.
            var hasMatches: Bool
        }

        var text: String
        var from: String
        var to: String
        /// Whether the form is unfolded.
        var isOpen: Bool
        /// Set after the host has counted the walk-ins of a period.
        var confirmation: Confirmation?
    }

    static let template = "attendance"
    var title: String
    var head: MeetingHead
    var alert: String?
    var meetingPath: String
    var rosterPath: String
    /// The path of this page.
    var path: String
    /// The query that shows the same part of the list again.
    var query: String
    /// The personal link that was just created.
    var link: OneTimeSecret?
    /// The number of people present.
    var summary: String

    /// Whether the meeting is dated and has not ended. Its check-in code is then shown above the list.
    var isCheckInSoon: Bool
    /// Whether the meeting is dated and has ended. Its check-in code is then shown folded at the end of the page.
    var isCheckInOver: Bool
    var doorText: String
    /// The address of the check-in.
    var address: String
    var unreachable: UnreachableAddress?

    /// Whether anyone is on the attendee list, with any status.
    var hasList: Bool
    var filters: [Filter]
    var people: [Attendee]
    /// The address of the next page.
    var next: String?
    /// Explains how to hand out personal links; set if the form needs them and the service sends no mail.
    var noMailNotice: String?
    /// Whether there are personal links to list.
    var hasPersonalLinks: Bool
    /// Whether the service can mail the personal links.
    var canMail: Bool
    /// The label of the button that sends a reminder. For an anonymous form, the reminder goes to everybody.
    var remindLabel: String
    /// The idempotency key of the mailing.
    var key: String
    /// Names the member who is not on the list, or says how many members are missing.
    var missingNotice: String?

    // The form that adds an attendee.
    var name: String
    var nameFault: String?
    var email: String
    var emailFault: String?
    /// The pasted lines, with one person on each.
    var lines: String
    var linesFault: String?
    /// Whether the form for several people is unfolded.
    var isAddingLines: Bool
    var statuses: [PageField.Values.Choice]
    var walkIns: WalkIns?
    var script: String
}

/// The check-in code for a projector at the entrance.
struct DoorPage: PageModel {
    static let template = "door"
    var title: String
    var meetingPath: String
    /// Whether the check-in is over because the meeting has ended.
    var isOver: Bool
    var canEdit: Bool
    /// The address of the check-in, without the scheme.
    var address: String
}
