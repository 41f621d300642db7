/// The first tab of a meeting, for its hosts: the form, its state, and the next step.
struct MeetingPage: PageModel {
    static let template = "host-meeting"
    var title: String
    var head: MeetingHead
    var alert: String?
    /// The path of this page. The paths of the meeting's other pages begin with it.
    var meetingPath: String
    var seriesPath: String
    var canEdit: Bool
    var isDraft: Bool
    var isOpen: Bool
    /// The form's path.
    var form: String
    var actions: MeetingActions
    /// Whether the meeting has a picture.
    var hasImage: Bool
    var next: NextStep?
}
