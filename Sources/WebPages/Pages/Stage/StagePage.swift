/// The results of a meeting for a projector, one question at a time.
struct StagePage: PageModel {
    /// How people reach the form.
    struct Code: TemplateValues {
        /// The address of the service, without its scheme, where the join code is entered.
        var address: String
        var joinCode: String
    }

    struct Ending: TemplateValues {
        var headlines: [Headline]
    }

    /// The main number of a question, as large as the wall.
    struct Headline: TemplateValues {
        var title: String
        /// A number, or the most frequent answer.
        var number: String
        var caption: String?
        var isLong = false
    }

    static let template = "stage"
    static let isWide = true
    var title: String
    /// Why the form could not be changed.
    var alert: String?
    var heading: String
    var meetingPath: String
    /// The address to which the countdown's buttons are sent.
    var address: String
    var livePath: String
    var revision: Int
    /// `before`, `open` or `closed`.
    var phase: String
    /// Nil for a closed form, and for a form that requires personal links.
    var code: Code?
    /// What the first slide says about the form.
    var lead: String
    var closing: StageForm.Closing?
    var submissions: String
    var ring: ResponseRing?
    /// Says how many submissions the minimum group withholds. Nil if there are none.
    var withheld: String?
    /// What was decided at the last round and participants see. Nil if there is nothing.
    var decided: ShownDecisions?
    var slides: [StageSlide]
    /// The last slide of a closed form.
    var ending: Ending?
    var actions: StageForm.Actions
    /// Whether the reader may use the remote.
    var hasRemote: Bool
    var liveScript: String
    var countdownScript: String
    var script: String
}
