/// The attendee list of a meeting, with the code at its door.
struct AttendancePage: PageModel {
    /// A link to the attendees of one status.
    struct Filter: TemplateValues {
        var path: String
        var label: String
        var chosen: Bool
    }

    struct Attendee: TemplateValues {
        /// A button that sets a status.
        struct Choice: TemplateValues {
            var value: String
            var label: String
            var isChosen: Bool
        }

        var id: String
        var name: String
        var email: String
        var status: String
        /// The path of their history in the series.
        var person: String?
        var choices: [Choice]
        /// Whether they can get a personal link.
        var isPersonal: Bool
    }

    struct Status: TemplateValues {
        var value: String
        var label: String
        var chosen: Bool
    }

    /// The form that removes walk-ins by the time of their check-in.
    struct WalkIns: TemplateValues {
        struct Confirmation: TemplateValues {
            var text: String
            var remove: String
            var isSome: Bool
        }

        var text: String
        var from: String
        var to: String
        var isOpen: Bool
        var sure: Confirmation?
    }

    static let template = "attendance"
    var title: String
    var alert: String?
    /// The meeting's title and path.
    var meeting: String
    var home: String
    /// The path of the roster.
    var roster: String
    var path: String
    var query: String
    /// A new personal link.
    var link: OneTimeSecret?
    var summary: String

    var isCheckInSoon: Bool
    var isCheckInOver: Bool
    var doorText: String
    var address: String
    var unreachable: UnreachableAddress?

    var hasList: Bool
    var filters: [Filter]
    var people: [Attendee]
    /// The address of the next page.
    var next: String?
    var byHand: String?
    var isMailing: Bool
    var key: String
    /// Names the members who are not on the list.
    var missing: String?

    var name: String
    var nameFault: String?
    var email: String
    var emailFault: String?
    var statuses: [Status]
    var walkIns: WalkIns?
    var script: String
}

/// The check-in code for a projector at the entrance.
struct DoorPage: PageModel {
    static let template = "door"
    var title: String
    /// The path of the meeting.
    var home: String
    var isOver: Bool
    var canEdit: Bool
    var address: String
    var unreachable: UnreachableAddress?
}
