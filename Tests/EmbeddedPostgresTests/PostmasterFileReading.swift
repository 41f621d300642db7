import Testing

@testable import EmbeddedPostgres

@Suite struct PostmasterFileReading {
    @Test func fileOfAReadyClusterIsParsed() throws {
        let text = "812\n/data/postgres\n1790000000\n5432\n/data/run\n\n 5432001    196608\nready   \n"
        let file = try #require(PostmasterFile(text: text))
        #expect(file.pid == 812)
        #expect(file.socketFolder == "/data/run")
        #expect(file.isReady)
    }

    @Test(arguments: [
        "812\n/data/postgres\n1790000000\n5432\n/data/run\n\n 5432001    196608\nstarting\n",
        "812\n/data/postgres\n1790000000\n5432\n/data/run\n", "812\n", "812",
    ])
    func incompleteFileIsNotReady(text: String) throws {
        #expect(try !#require(PostmasterFile(text: text)).isReady)
    }

    @Test(arguments: ["", "\n", "abc\n", "-812\n", "0\n", "99999999999\n"])
    func fileWithoutAPidIsNil(text: String) {
        #expect(PostmasterFile(text: text) == nil)
    }
}
