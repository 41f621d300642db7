import Contract
import Foundation

/// The results of a meeting for a projector, one question at a time.
struct StagePage: PageModel {
    /// How people reach the form.
    struct Code: TemplateValues {
        /// The address of the service, without its scheme, where the join code is entered.
        var address: String
        var joinCode: String
    }

    struct Slide: TemplateValues {
        struct Text: TemplateValues {
            var id: String
            var text: String
        }

        var key: String
        var numbers: QuestionNumbers
        /// The newest texts that are released to participants.
        var texts: [Text]
        /// Says that nothing can be shown yet. Nil if there are numbers or texts, or if all numbers are withheld.
        var emptyNotice: String?
    }

    /// The close of an open form.
    struct Closing: TemplateValues {
        var sentence: String
        /// In RFC 3339, for the script that counts down.
        var time: String
    }

    static let template = "stage"
    static let isWide = true
    var title: String
    /// Why the form could not be changed.
    var alert: String?
    var heading: String
    var meetingPath: String
    var livePath: String
    var revision: Int
    /// `before`, `open` or `closed`.
    var phase: String
    /// Nil for a closed form, and for a form that requires personal links.
    var code: Code?
    /// What the first slide says about the form.
    var lead: String
    var closing: Closing?
    var submissions: String
    var ring: ResponseRing?
    /// Says how many submissions the minimum group withholds. Nil if there are none.
    var withheld: String?
    var slides: [Slide]
    /// The last slide of a closed form.
    var ending: Ending?
    var canClose: Bool
    var canReopen: Bool
    var canPublish: Bool
    var liveScript: String
    var script: String

    struct Ending: TemplateValues {
        var headlines: [ResultsBrief.Line]
    }
}

extension StagePage.Slide {
    init(_ part: ResultsQuestions.Part, _ texts: PageTexts) {
        key = part.result.key
        numbers = part.numbers
        self.texts = part.texts.map { .init(id: $0.id.map { "\($0)" } ?? "", text: $0.text) }
        if part.numbers.withheldNotice == nil, part.numbers.table == nil, self.texts.isEmpty {
            // Unreleased texts are for hosts only, so the audience sees only their number.
            emptyNotice =
                part.result.answered > 0
                ? texts("stage.in-words", ["count": "\(part.result.answered)"]) : texts("stage.no-answers")
        }
    }
}
