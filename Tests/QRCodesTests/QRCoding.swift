import Foundation
import Testing

@testable import QRCodes

@Suite struct QRCoding {
    /// The three finder patterns of ISO/IEC 18004.
    @Test func codeHasThreeFinderPatterns() throws {
        let code = try QRCode("https://feedback.example.org/f/997y1ex880rj2")
        let finder = ["#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######"]
        for (left, top) in [(0, 0), (code.size - 7, 0), (0, code.size - 7)] {
            let pattern = (0..<7).map { y in
                (0..<7).map { x in code.isDark(left + x, top + y) ? "#" : "." }.joined()
            }
            #expect(pattern == finder)
        }
        #expect(code.size == 33 && code.fullSize == 41)
    }

    @Test(arguments: ["", "a\0b", String(repeating: "x", count: 2332)])
    func invalidAndTooLongTextsAreRefused(_ text: String) {
        #expect(throws: QRCode.UnencodableText()) { try QRCode(text) }
    }

    @Test func largestCodeHasTheCapacityOfTheStandard() throws {
        #expect(try QRCode(String(repeating: "x", count: 2331)).size == 177)
    }

    /// Drawn into a grid, the segments of the path reproduce the code.
    @Test func pathDrawsTheCode() throws {
        let code = try QRCode("https://feedback.example.org/c/0123456789abc")
        let svg = code.svg(title: "Retro")
        var drawn: Set<[Int]> = []
        for match in svg.matches(of: /M(\d+) (\d+)h(\d+)v1h-(\d+)z/) {
            let (left, y, width) = (Int(match.1) ?? 0, Int(match.2) ?? 0, Int(match.3) ?? 0)
            #expect(match.3 == match.4)
            for x in left..<left + width { drawn.insert([x - 4, y - 4]) }
        }
        var dark: Set<[Int]> = []
        for y in 0..<code.size { for x in 0..<code.size where code.isDark(x, y) { dark.insert([x, y]) } }
        #expect(drawn == dark)
        #expect(svg.prefix(80).contains("viewBox=\"0 0 41 41\""))
        #expect(svg.contains("<path fill=\"#fff\" d=\"M0 0h41v41H0z\"/>"))
    }

    @Test func titleIsEscaped() throws {
        let svg = try QRCode("x").svg(title: "</title><script>alert(1)</script> & \u{1}\u{0} 회의")
        #expect(svg.contains("<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt; &amp;  회의</title>"))
        let parser = XMLWellFormedness(svg)
        #expect(parser.isWellFormed)
    }

    @Test(arguments: [1, 8, 40])
    func scaleIsPixelsPerModule(scale: Int) throws {
        let code = try QRCode("https://feedback.example.org/s/0123456789abc")
        let png = try #require(code.png(scale: scale))
        #expect(png.starts(with: [0x89, 0x50, 0x4e, 0x47]))
        let sides = [png[16..<20], png[20..<24]].map { $0.reduce(0) { $0 << 8 | Int($1) } }
        #expect(sides == [code.fullSize * scale, code.fullSize * scale])
        #expect(png.count < 20_000)
    }
}

/// Checks that all tags are closed in the right order.
private struct XMLWellFormedness {
    let isWellFormed: Bool

    init(_ text: String) {
        var open: [Substring] = []
        var isBalanced = true
        for match in text.matches(of: /<(\/?)([a-z]+)[^<>]*?(\/?)>/) {
            if !match.1.isEmpty {
                isBalanced = isBalanced && open.popLast() == match.2
            } else if match.3.isEmpty {
                open.append(match.2)
            }
        }
        isWellFormed = isBalanced && open.isEmpty
    }
}
