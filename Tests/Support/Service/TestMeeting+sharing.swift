import Contract

extension TestMeeting {
    /// The 201 of a new share.
    public func share(_ json: String? = nil) async throws -> HTTPTestClient.Answer {
        try await host.post("\(path)/shares", json: json).expect(201)
    }

    /// The path of a new share.
    public func sharePath(_ json: String? = nil) async throws -> String {
        "/v1/shares/\(try await share(json).string("token"))"
    }

    /// The receipt of a new submission.
    public func receipt(of answers: String = #"{"pace": 4, "better": "x"}"#) async throws -> SubmissionReceipt {
        try await submit(answers).expect(201).decoded()
    }

    /// The answer to a participant at the form's own path.
    public func participant(_ rest: String = "/results", receipt: String? = nil) async throws -> HTTPTestClient.Answer {
        try await anyone.get(formPath + rest, headers: receipt.map { ["Authorization": "Receipt \($0)"] } ?? [:])
    }

    /// Changes only `showResults`, whatever the form's state.
    public func show(_ showResults: String, settings: String = "", _ questions: String = TestStore.questions)
        async throws
    {
        try await define("{\"showResults\": \"\(showResults)\"\(settings), \"questions\": \(questions)}").expect(200)
    }

    public func texts(_ query: String = "", of key: String = "better") async throws -> TextAnswers {
        try await host.get("\(path)/results/\(key)/answers\(query)").expect(200).decoded()
    }

    /// `release` or `withhold`; with an answer, `hide` or `unhide`.
    @discardableResult
    public func moderate(
        _ verb: String, _ key: String = "better", answer: ResourceID? = nil
    ) async throws -> HTTPTestClient.Answer {
        let place = answer.map { "/answers/\($0)" } ?? ""
        return try await host.post("\(path)/results/\(key)\(place)/\(verb)")
    }
}
