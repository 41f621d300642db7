/// The page on which a host edits a form.
struct BuilderPage: PageModel {
    struct Button: TemplateValues {
        /// The value of the button, which `FormBuilder.apply` parses.
        var action: String
        var label: String
        /// The symbol that is shown in place of the label.
        var symbol = ""
        var isFocused = false
    }

    /// The fields for the time when the form opens or closes.
    struct Moment: TemplateValues {
        var mode: PageField.Values
        var at: PageField.Values
        var amount: PageField.Values
        var unit: PageField.Values
    }

    struct Advice: TemplateValues {
        struct Line: TemplateValues {
            /// A link to a question that the advice is about.
            struct QuestionLink: TemplateValues {
                var index: Int
                var label: String
            }

            var text: String
            var hasLinks: Bool
            var links: [QuestionLink]
        }

        var lines: [Line]
    }

    /// A link to a part of the page with a fault.
    struct FaultLink: TemplateValues {
        var id: String
        var text: String
    }

    static let template = "host-builder"
    var title: String
    /// The path of this page.
    var path: String
    var meetingPath: String
    /// The meeting's title; empty without a session.
    var heading: String
    /// The ETag of the form.
    var tag: String
    var alert: String?
    var hasFaultLinks: Bool
    var faultLinks: [FaultLink]
    /// Faults that belong to no field of the page.
    var otherFaults: [String]
    var isChanged: Bool
    /// What the last button did, or that changes are not saved. Screen readers announce it.
    var statusMessage: String
    /// Whether a removal or a move can be taken back.
    var canUndo: Bool
    /// The values of hidden fields with what takes it back.
    var undos: [String]
    var formTitle: PageField.Values
    var intro: PageField.Values
    /// Buttons that start an empty form from a template.
    var templates: [Button]
    var hasSavedTemplates: Bool
    /// Buttons that start an empty form from a template that a host saved.
    var savedTemplates: [Button]
    var questions: [Question]
    /// Buttons that fold and unfold all questions.
    var foldings: [Button]
    /// Buttons that add a question, one for each kind.
    var kinds: [Button]
    /// Whether the focus is on the buttons that add a question.
    var isAdding: Bool
    var settings: [PageField.Values]
    var moments: [Moment]
    /// The settings below the moments.
    var moreSettings: [PageField.Values]
    var areSettingsOpen: Bool
    /// The time zone of the moments, as a sentence.
    var zone: String
    var advice: Advice?
    var script: String
}

extension BuilderPage {
    struct Question: TemplateValues {
        struct Rating: TemplateValues {
            /// The fixed ends of a scale from 0 to 10 (NPS).
            struct Range: TemplateValues {
                var min: String
                var max: String
            }

            /// `mean` or `nps`.
            var metric: String
            var range: Range?
            /// The fields for the lowest and the highest rating; empty for NPS.
            var ends: [PageField.Values]
            /// The fields for the labels of the lowest and the highest rating.
            var labels: [PageField.Values]
        }

        struct Choice: TemplateValues {
            /// The name of the list, and of the button that adds to it.
            var listTitle: String
            var addLabel: String
            /// Faults of the list of options, as opposed to one option.
            var optionFaults: [String]
            var options: [Option]
            /// The field for several options at once.
            var lines: PageField.Values
            var settings: [PageField.Values]
        }

        var index: Int
        /// The position of the question, from 1.
        var number: Int
        /// Empty for a question that was never saved.
        var key: String
        var kind: String
        var kindName: String
        var handleLabel: String
        var isHandleFocused: Bool
        /// Whether more than the title is shown.
        var isOpen: Bool
        /// The title as shown while the question is folded.
        var shortTitle: String
        /// Faults that belong to no field.
        var faults: [String]
        var questionTitle: PageField.Values
        var rating: Rating?
        var choice: Choice?
        var required: PageField.Values
        /// Nil for the first question, which cannot depend on others.
        var condition: Condition?
        /// The less common settings of the question.
        var more: [PageField.Values]
        var isMoreOpen: Bool
        var buttons: [Button]
    }

    /// The condition under which a question is asked.
    struct Condition: TemplateValues {
        struct Choice: TemplateValues {
            var value: String
            var label: String
            var isChosen: Bool
        }

        struct Test: TemplateValues {
            /// The names of the two fields for screen readers.
            var questionLabel: String
            var checkLabel: String
            var questions: [Choice]
            var checks: [Choice]
            /// Why the form cannot be saved with this test; nil if it can.
            var warning: String?
            var isFocused: Bool
            var pick: Button
            var remove: Button
        }

        /// Whether the question depends on answers.
        var hasTests: Bool
        var tests: [Test]
        /// The name of the field that says whether all tests must hold, or any; nil for fewer than two tests.
        var joinLabel: String?
        var joins: [Choice]
        /// Nil if no further test is possible.
        var add: Button?
        /// Says that an anonymous form cannot have conditions; nil for other forms.
        var refusal: String?
    }

    struct Option: TemplateValues {
        /// Empty for an option that was never saved.
        var id: String
        /// The text of the option, as typed.
        var text: String
        /// The description of a statement, which is kept. Nil for the option of a choice.
        var note: String?
        var optionIndex: Int
        var fieldLabel: String
        var faults: [String]
        var hasFaults: Bool
        var isFocused: Bool
        var buttons: [Button]
    }
}
