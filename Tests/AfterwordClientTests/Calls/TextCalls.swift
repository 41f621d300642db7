import AfterwordClient
import Foundation
import Store
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct TextCalls {
    @Test func termsAreCounted() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            let fixture = try await service.openMeeting()
            let meeting = try #require(ResourceID(fixture.id))
            for text in ["more time", "More demos", "the time"] {
                try await fixture.submit("{\"better\": \"\(text)\"}").expect(201)
            }
            let terms = try await host.terms(of: meeting, question: "better", keepingStopWords: true)
            #expect(terms.items.map(\.term) == ["more", "time", "demos", "the"] && terms.answers == 3)
            let first = try await host.terms(of: meeting, question: "better", limit: 1)
            #expect(first.items == [.init(term: "time", count: 2, answers: 2)] && !first.sampled && first.total == 3)
            #expect(try await refusal { _ = try await host.terms(of: meeting, question: "no") }?.code == .notFound)
        }
    }

    @Test func iterationContinuesThroughPartialPages() async throws {
        try await TestService.run { service in
            let fixture = try await service.openMeeting()
            let meeting = try #require(ResourceID(fixture.id))
            for number in 1...12 { try await fixture.submit("{\"better\": \"text \(number)\"}").expect(201) }
            var bounds = TextBounds()
            (bounds.timeLimit, bounds.stepSizes) = (.zero, 2...2)
            let store = try await service.fixture.secondStore(texts: bounds)
            try await TestService.serve(store) { client in
                let token = try await TestService.token(of: service.fixture.host, in: store)
                let host = Afterword(url: "http://127.0.0.1:\(client.port)").host(token: token)
                let texts = host.texts(of: meeting, question: "better", query: "TEXT 1")
                let page = try await texts.page(limit: 2)
                #expect(page.partial == true || page.items.count == 2)
                let all = try await texts.pageSize(2).first(50).map(\.text)
                #expect(all == ["text 12", "text 11", "text 10", "text 1"])
            }
            await store.close()
        }
    }
}
