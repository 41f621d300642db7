import Contract

/// Forms to begin with, in the host's language.
enum FormTemplate: String, CaseIterable {
    case retro, lecture, workshop, nps, empty

    func questions(_ texts: PageTexts) -> [QuestionBody] {
        func rating(_ key: String) -> QuestionBody { .rating(key, texts("template.\(key)")) }
        func text(_ key: String) -> QuestionBody { .text(key, texts("template.\(key)")) }
        let recommend = QuestionBody.rating("recommend", texts("template.recommend"), min: 0, max: 10, metric: "nps")
        return switch self {
        case .retro: [rating("useful"), rating("pace"), text("keep"), text("change")]
        case .lecture: [rating("clear"), rating("pace"), text("unclear")]
        case .workshop: [rating("useful"), rating("learned"), recommend, text("change")]
        case .nps: [recommend, text("why")]
        case .empty: []
        }
    }
}
