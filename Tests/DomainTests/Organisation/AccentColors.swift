import Testing

@testable import Domain

/// Contrasts as in WCAG 2.2, and the readable shades of a colour.
@Suite struct AccentColors {
    @Test(arguments: ["#0b6e4f", "#0B6E4F", "0b6e4f"])
    func sixHexadecimalDigitsAreAColor(text: String) {
        #expect(AccentColor(text) == AccentColor(red: 0x0b, green: 0x6e, blue: 0x4f))
        #expect(AccentColor(text)?.hex == "#0b6e4f")
    }

    @Test func threeDigitsAreDoubled() {
        #expect(AccentColor("#fa0")?.hex == "#ffaa00")
    }

    @Test(arguments: [
        "", "#", "red", "#12345", "#1234567", "#12 456", "##12345", "#12345g", "rgb(0, 0, 0)", "#１２３４５６", "#fff;}",
        "#+12345",
    ])
    func otherTextsAreNoColor(text: String) {
        #expect(AccentColor(text) == nil)
    }

    /// Values of WebAIM's contrast checker.
    @Test(arguments: [
        ("#000000", "#ffffff", 21.0), ("#ffffff", "#ffffff", 1), ("#777777", "#ffffff", 4.48),
        ("#767676", "#ffffff", 4.54), ("#ff0000", "#ffffff", 4.0), ("#ffff00", "#ffffff", 1.07),
        ("#0000ff", "#000000", 2.44),
    ])
    func contrastsAreThoseOfTheGuidelines(one: String, two: String, ratio: Double) throws {
        let (one, two) = (try #require(AccentColor(one)), try #require(AccentColor(two)))
        #expect(abs(one.contrast(with: two) - ratio) < 0.01)
        #expect(one.contrast(with: two) == two.contrast(with: one))
    }

    @Test func everyColorHasReadableShades() {
        let steps: [UInt8] = [0, 51, 102, 153, 204, 255]
        for red in steps {
            for green in steps {
                for blue in steps {
                    let shades = AccentShades(of: AccentColor(red: red, green: green, blue: blue))
                    for isLight in [true, false] {
                        let shade = isLight ? shades.light : shades.dark
                        let backgrounds: AccentShades.Backgrounds = isLight ? .light : .dark
                        let others = [
                            backgrounds.back, backgrounds.card, backgrounds.warm, shade.promise, shade.onStrong,
                        ]
                        #expect(others.allSatisfy { shade.strong.contrast(with: $0) >= 4.5 }, "\(shades.accent.hex)")
                    }
                }
            }
        }
    }

    @Test func readableColorIsUsedUnchanged() throws {
        let green = AccentShades(of: try #require(AccentColor("#0b5e43")))
        #expect(green.light.strong == green.accent && green.dark.strong != green.accent)
        let pale = AccentShades(of: try #require(AccentColor("#b8e0d0")))
        #expect(pale.dark.strong == pale.accent && pale.light.strong != pale.accent)
    }

    /// A yellow on white has a contrast of 1.07. Its shade is still a yellow, not a grey.
    @Test func shadeKeepsItsHue() throws {
        let light = AccentShades(of: try #require(AccentColor("#ffff00"))).light.strong
        #expect(light.red == light.green && light.red > 90 && light.blue == 0)
    }

    @Test func namesAreOneLineOfAtMostSixtyCharacters() {
        #expect(OrganisationName("  Café 서울 \n")?.text == "Café 서울")
        #expect(OrganisationName(String(repeating: "👩‍👩‍👧", count: 60)) != nil)
        for text in ["", "  ", "a\nb", "a\u{0}b", String(repeating: "a", count: 61)] {
            #expect(OrganisationName(text) == nil, "\(text)")
        }
    }
}
