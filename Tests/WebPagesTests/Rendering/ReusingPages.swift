import NIOCore
import TestSupport
import Testing

@testable import WebPages

@Suite struct ReusingPages {
    private static let long = String(repeating: "<p>A paragraph of the page, 한국어</p>\n", count: 300)

    @Test(arguments: ["", "a", "TOKEN", "TOKENKEY", "aKEYbTOKENcTOKENd", long + "TOKEN" + long + "KEY" + long])
    func gapsAreFilledWithTheValues(_ html: String) throws {
        let page = try #require(ReusablePage(html, replacing: ["TOKEN", "KEY"]))
        for values in [["TOKEN", "KEY"], ["1", ""], ["KEY", "TOKEN"], [Self.long, "é"]] {
            var expected = html.replacing("TOKEN", with: "\u{0}").replacing("KEY", with: "\u{1}")
            expected = expected.replacing("\u{0}", with: values[0]).replacing("\u{1}", with: values[1])
            #expect(String(buffer: page.bytes(with: values)) == expected)
            let compressed = try #require(page.gzip(with: values))
            #expect(Gunzip.text(Array(compressed.readableBytesView)) == expected)
        }
    }

    @Test func compressedTextIsShort() throws {
        let page = try #require(ReusablePage(Self.long + "KEY" + Self.long, replacing: ["KEY"]))
        let compressed = try #require(page.gzip(with: ["x"]))
        #expect(compressed.readableBytes < Self.long.utf8.count / 20)
    }

    /// Parts that are compressed separately cannot refer to each other.
    @Test func pageWithManyGapsIsCompressedAsAWhole() throws {
        let page = try #require(
            ReusablePage(String(repeating: "<p>A paragraph KEY of the page</p>\n", count: 300), replacing: ["KEY"]))
        let compressed = try #require(page.gzip(with: ["value"]))
        #expect(compressed.readableBytes < page.byteCount / 20)
        let expected = String(repeating: "<p>A paragraph value of the page</p>\n", count: 300)
        #expect(Gunzip.text(Array(compressed.readableBytesView)) == expected)
        #expect(String(buffer: page.bytes(with: ["value"])) == expected)
    }

    @Test func placeholdersWithTheSameBeginningAreReplaced() throws {
        let page = try #require(ReusablePage("KKEKEYKEZ KEY", replacing: ["KEY", "KEZ"]))
        #expect(String(buffer: page.bytes(with: ["1", "2"])) == "KKE12 1")
    }

    @Test func digestDependsOnTheTextAndNotOnTheValues() throws {
        let page = try #require(ReusablePage("one KEY two", replacing: ["KEY"]))
        #expect(page.digest() == ReusablePage("one other two", replacing: ["other"])?.digest())
        for html in ["one KEY too", "one two KEY", "KEY one two", "one  two"] {
            #expect(page.digest() != ReusablePage(html, replacing: ["KEY"])?.digest(), "\(html)")
        }
    }
}
