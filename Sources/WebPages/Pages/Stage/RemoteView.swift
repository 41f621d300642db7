import Contract

/// What the stages show, as the address of the remote contains it, and the buttons that change it.
struct RemoteView {
    /// A slide of the stage. The names and the order are those of the template `stage`.
    struct Slide {
        var name: String
        var title: String
        /// The number of people who answered the question, or the form, as text.
        var answered: String
        var hasWords = false
    }

    let slides: [Slide]
    private(set) var view: StageView

    /// Reads the view from a query. A slide that is missing or unknown is replaced by the slide with which stages begin
    /// in the form's present state.
    ///
    /// - Parameter decided: What the stage shows of the decisions of an earlier round.
    init(_ query: FormFields, of results: Results, decided: ShownDecisions?, _ context: MeetingContext) {
        let slides = Self.slides(results, decided, context)
        self.slides = slides
        let start = context.isShut ? "end" : "code"
        let named = query["slide"].flatMap { name in slides.first { $0.name == name } }
        view = StageView(
            slide: named?.name ?? start, blank: query["blank"] == "1", comparing: query["comparing"] == "1",
            words: query["words"] == "1")
    }

    private static func slides(
        _ results: Results, _ decided: ShownDecisions?, _ context: MeetingContext
    ) -> [Slide] {
        let (page, form) = (context.page, StageForm(context))
        let submissions = ResultsQuestions.submissions(results, page)
        var questions: [Slide] = []
        var last: QuestionResults?
        for result in results.questions where result.retired != true {
            defer { last = result }
            // All statements of a grid are on one slide.
            if let grid = result.grid, grid.key == last?.grid?.key { continue }
            questions.append(
                Slide(
                    name: "q-\(result.grid?.key ?? result.key)", title: result.grid?.title ?? result.title,
                    answered: page.texts.answers(result.answered), hasWords: result.showsTexts))
        }
        let first = Slide(name: "code", title: form.lead, answered: submissions)
        let ending = Slide(name: "end", title: page.texts("stage.thanks"), answered: submissions)
        let decisions = decided.map { [Slide(name: "decisions", title: $0.heading, answered: "")] } ?? []
        return [first] + decisions + questions + (context.isShut ? [ending] : [])
    }

    /// The position of the slide. The first and the last slide always exist, so there is one.
    var index: Int { slides.firstIndex { $0.name == view.slide } ?? 0 }

    var slide: Slide { slides[index] }

    /// The query of the remote's address.
    var query: String {
        PathQuery([(name: "slide", value: view.slide)])
            .with("blank", view.blank ? "1" : nil).with("comparing", view.comparing ? "1" : nil)
            .with("words", view.words ? "1" : nil).text
    }

    /// Changes the view as a button says. Returns whether there is such a button.
    mutating func apply(_ action: String) -> Bool {
        switch action {
        case "previous": show(max(index - 1, 0))
        case "next": show(min(index + 1, slides.count - 1))
        case "blank": view.blank.toggle()
        case "comparing": view.comparing.toggle()
        case "words": view.words.toggle()
        default:
            let parts = action.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0] == "show", let index = slides.firstIndex(where: { $0.name == parts[1] })
            else { return false }
            show(index)
        }
        return true
    }

    private mutating func show(_ index: Int) {
        view.slide = slides[index].name
        view.blank = false
    }
}
