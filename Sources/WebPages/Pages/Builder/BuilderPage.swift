/// The page on which a host edits a form.
struct BuilderPage: PageModel {
    struct Button: TemplateValues {
        /// The value of the button, which `FormBuilder.apply` reads.
        var action: String
        var words: String
        var isFocused = false
    }

    /// When the form opens or closes.
    struct Moment: TemplateValues {
        var mode: PageField.Values
        var at: PageField.Values
        var amount: PageField.Values
        var unit: PageField.Values
    }

    struct Advice: TemplateValues {
        struct Line: TemplateValues {
            struct Place: TemplateValues {
                /// The question's index.
                var place: Int
                var link: String
            }

            var words: String
            var hasPlaces: Bool
            var places: [Place]
        }

        var lines: [Line]
    }

    static let template = "host-builder"
    var title: String
    /// The address of the form.
    var path: String
    /// The address of the meeting.
    var meeting: String
    /// The meeting's title; empty without a session.
    var heading: String
    /// The ETag of the form.
    var tag: String
    var alert: String?
    /// Faults that belong to no field.
    var others: [String]
    /// Whether the page contains changes that are not saved.
    var isChanged: Bool
    /// The effect of the last button.
    var said: String
    var formTitle: PageField.Values
    var intro: PageField.Values
    var templates: [Button]
    var questions: [Question]
    var kinds: [Button]
    /// Whether the focus is on the buttons that add a question.
    var isAdding: Bool
    var settings: [PageField.Values]
    var moments: [Moment]
    var rest: [PageField.Values]
    var settingsOpen: Bool
    /// The time zone of the moments.
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

            var metric: String
            var range: Range?
            var ends: [PageField.Values]
            var labels: [PageField.Values]
        }

        struct Choice: TemplateValues {
            var optionFaults: [String]
            var options: [Option]
            var settings: [PageField.Values]
        }

        var index: Int
        var number: Int
        var key: String
        var kind: String
        var kindName: String
        var handle: String
        /// Whether the focus is on the handle.
        var isHeld: Bool
        /// Faults that belong to no field.
        var faults: [String]
        var questionTitle: PageField.Values
        var rating: Rating?
        var choice: Choice?
        var required: PageField.Values
        var more: [PageField.Values]
        /// Whether `more` is unfolded.
        var isMore: Bool
        var buttons: [Button]
    }

    struct Option: TemplateValues {
        struct Button: TemplateValues {
            var action: String
            var symbol: String
            var words: String
            var isFocused: Bool
        }

        var id: String
        var label: String
        /// The option's index.
        var place: Int
        var words: String
        var faults: [String]
        var hasFaults: Bool
        var isFocused: Bool
        var buttons: [Button]
    }
}
