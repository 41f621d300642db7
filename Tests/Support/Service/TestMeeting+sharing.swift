import Contract

extension TestMeeting {
    /// Creates a share and returns the response.
    public func share(_ json: String? = nil) async throws -> HTTPTestClient.Response {
        try await host.post("\(path)/shares", json: json).expect(201)
    }

    /// Creates a share and returns its path.
    public func sharePath(_ json: String? = nil) async throws -> String {
        "/v1/shares/\(try await share(json).string("token"))"
    }

    /// Submits answers and returns the receipt.
    public func receipt(of answers: String = #"{"pace": 4, "better": "x"}"#) async throws -> SubmissionReceipt {
        try await submit(answers).expect(201).decoded()
    }

    /// The response that a participant gets at the form's path followed by `subpath`.
    public func participant(
        _ subpath: String = "/results", receipt: String? = nil
    ) async throws -> HTTPTestClient.Response {
        try await anyone.get(formPath + subpath, headers: receipt.map { ["Authorization": "Receipt \($0)"] } ?? [:])
    }

    /// Replaces the form by one with this `showResults`. `settings` are further members, after a comma.
    public func show(_ showResults: String, settings: String = "", _ questions: String = TestStore.questions)
        async throws
    {
        try await define("{\"showResults\": \"\(showResults)\"\(settings), \"questions\": \(questions)}").expect(200)
    }

    public func texts(_ query: String = "", of key: String = "better") async throws -> TextAnswers {
        try await host.get("\(path)/results/\(key)/answers\(query)").expect(200).decoded()
    }

    /// Applies `release` or `withhold` to a question, or `hide` or `unhide` to an answer.
    @discardableResult
    public func moderate(
        _ verb: String, _ key: String = "better", answer: ResourceID? = nil
    ) async throws -> HTTPTestClient.Response {
        let subpath = answer.map { "/answers/\($0)" } ?? ""
        return try await host.post("\(path)/results/\(key)\(subpath)/\(verb)")
    }
}
