/// The remote of a host's phone, which changes the slide on all open stages of a meeting.
struct RemotePage: PageModel {
    /// One slide of the stage, as a button that shows it.
    struct Slide: TemplateValues {
        /// The name in a `StageView`.
        var name: String
        var title: String
        var isCurrent: Bool
    }

    static let template = "remote"
    var title: String
    /// Why a request was refused.
    var alert: String?
    var heading: String
    var meetingPath: String
    /// The path of this page with the view that the stages show. The buttons are sent to this address.
    var address: String
    var livePath: String
    var revision: Int
    /// `before`, `open` or `closed`.
    var phase: String
    var closing: StageForm.Closing?
    /// Says how many submissions the minimum group withholds. Nil if there are none.
    var withheld: String?

    /// The number of the slide and that of all slides.
    var position: String
    var slideTitle: String
    /// The number of people who answered the question, or the form.
    var answered: String
    var slides: [Slide]
    var hasPrevious: Bool
    var hasNext: Bool
    var isBlank: Bool
    /// Whether the meeting can be compared with an earlier round.
    var canCompare: Bool
    var isComparing: Bool
    /// Whether the slide has released texts, whose words can be shown instead.
    var hasWords: Bool
    var showsWords: Bool

    var actions: StageForm.Actions
    var liveScript: String
    var countdownScript: String
    var script: String
}
