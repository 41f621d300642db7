import Contract
import Foundation

/// A form as its template takes it.
enum FormPage {
    /// What stands above the questions: whose form it is, and who will see what.
    static func head(_ form: PublicForm, _ page: PageRequest) -> [String: Any] {
        let texts = page.texts
        let who =
            form.anonymous
            ? texts("anonymity.participant", ["minimum": "\(form.minimumGroup ?? 1)"])
            : texts(form.identity == "attendee" ? "form.who-named" : "form.who-unnamed")
        var head: [String: Any] = [
            "title": form.title, "path": "/f/\(form.code)", "code": form.code,
            "who": who, "isAnonymous": form.anonymous,
            "results": texts("form.results-\(form.showResults)"), "script": page.kit.files.address("form.js"),
            "draft": FormContext(page).draft,
        ]
        head["intro"] = form.intro
        head["opens"] = form.opensAt.map { ["iso": $0.formatted(.iso8601), "text": page.time($0)] }
        head["closes"] = form.closesAt.map { ["iso": $0.formatted(.iso8601), "text": page.time($0)] }
        return head
    }

    static func body(_ form: PublicForm, _ sheet: FormSheet, _ page: PageRequest) -> [String: Any] {
        FormContext(page).prepare(form)
        let questions = form.questions.map { question($0, sheet, page) }
        let other = sheet.faults.filter { fault in
            !form.questions.contains { owns(fault.pointer, $0) }
        }
        return [
            "questions": questions, "version": sheet.version, "key": sheet.key,
            "faults": other.map { ["detail": say($0, page)] },
        ]
    }

    private static func owns(_ pointer: String, _ question: QuestionBody) -> Bool {
        pointer == "/answers/\(question.key)" || pointer.hasPrefix("/answers/\(question.key)/")
    }

    private static func say(_ fault: ProblemBody.FaultBody, _ page: PageRequest) -> String {
        page.texts.find("fault.\(fault.code)") ?? fault.detail
    }

    private static func question(
        _ question: QuestionBody, _ sheet: FormSheet, _ page: PageRequest
    ) -> [String: Any] {
        let key = question.key
        let faults = sheet.faults.filter { owns($0.pointer, question) }.map { ["detail": say($0, page)] }
        var values: [String: Any] = [
            "key": key, "title": question.title, "required": question.required == true, "faults": faults,
            "hasFaults": !faults.isEmpty, "text": sheet.texts[key] ?? "",
            "isText": question.kind == "text", "isRating": question.kind == "rating",
            "isChoice": question.kind == "choice",
        ]
        values["description"] = question.description
        let hints = hint(question, page).map { [$0] } ?? []
        values["hint"] = hints.first
        let parts =
            (question.description == nil ? [] : ["d-\(key)"]) + (hints.isEmpty ? [] : ["h-\(key)"])
            + (faults.isEmpty ? [] : ["e-\(key)"])
        if !parts.isEmpty { values["describedBy"] = parts.joined(separator: " ") }
        func option(_ id: String, _ label: String) -> [String: Any] {
            ["id": id, "label": label, "checked": sheet.isChosen(id, of: question)]
        }
        switch question.kind {
        case "rating":
            let (low, high) = (question.min ?? 1, question.max ?? 5)
            values["ratings"] = (low...max(low, high)).map { option("\($0)", "\($0)") }
            values["minLabel"] = question.minLabel
            values["maxLabel"] = question.maxLabel
            values["hasEnds"] = question.minLabel != nil || question.maxLabel != nil
        case "choice":
            values["inputType"] = question.multiple == true ? "checkbox" : "radio"
            values["options"] = (question.options ?? []).map { option($0.id, $0.label) }
            if question.other == true { values["other"] = option(FormSheet.other, page.texts("form.other")) }
        default:
            values["maxLength"] = question.maxLength ?? 1000
            // A browser counts neither characters nor line ends as people do: what is a little too long is judged, and
            // kept to be shortened, where a field that is full would cut it off.
            values["mostTyped"] = (question.maxLength ?? 1000) * 4
            values["rows"] = (question.maxLength ?? 1000) > 120 ? 4 : 2
        }
        return values
    }

    /// How many options may be chosen, where there is something to know.
    private static func hint(_ question: QuestionBody, _ page: PageRequest) -> String? {
        guard question.kind == "choice", question.multiple == true else { return nil }
        let least = question.minSelections ?? 0
        switch (least > 1, question.maxSelections) {
        case (true, let most?): return page.texts("form.choose-between", ["least": "\(least)", "most": "\(most)"])
        case (true, nil): return page.texts("form.choose-least", ["least": "\(least)"])
        case (false, let most?): return page.texts("form.choose-most", ["most": "\(most)"])
        case (false, nil): return page.texts("form.choose-any")
        }
    }
}

extension PageRequest {
    /// A moment in words, in UTC; a script shows it by the reader's own clock.
    func time(_ date: Date) -> String {
        let locale = Locale(identifier: language == .korean ? "ko_KR" : "en_GB")
        var style = Date.FormatStyle(date: .long, time: .shortened, locale: locale)
        // A constant.
        style.timeZone = TimeZone(identifier: "UTC")!
        return date.formatted(style) + " UTC"
    }
}
