import Testing

@testable import WebPages

/// The languages, fields, cookies and paths of page requests.
@Suite struct RequestReading {
    @Test(
        arguments: [
            (nil, "en"), ("", "en"), ("ko", "ko"), ("ko-KR,ko;q=0.9,en;q=0.8", "ko"), ("en-GB,en;q=0.9,ko;q=0.8", "en"),
            ("fr, ko;q=0.1", "ko"), ("en;q=0, ko", "ko"), ("*", "en"), ("kok, fr", "en"), ("ko;q=x", "ko"),
            (";ko", "en"), (" ; ko", "en"), ("de-AT", "de"), ("fr, de-CH;q=0.8, en;q=0.5", "de"), ("deu", "en"),
        ] as [(String?, String)])
    func preferredLanguageIsUsed(header: String?, expected: String) {
        #expect(Language(accepting: header).rawValue == expected)
    }

    @Test func formFieldsAreDecoded() {
        let fields = FormFields("a=1&a=2&t=More%0D%0Atime+%2B+%F0%9F%98%80&empty=&flag&bad=%E0%28&n=%00x")
        #expect(fields.values("a") == ["1", "2"] && fields["a"] == "1")
        #expect(fields["t"] == "More\ntime + 😀" && fields["empty"] == "" && fields["flag"] == "")
        #expect(fields["bad"] == nil && fields["n"] == "\0x" && fields["none"] == nil)
    }

    @Test func queriesAreReadWithoutNUL() {
        #expect(FormFields(query: "q=a%00b%00&c%00=1")["q"] == "ab")
        #expect(FormFields(query: "c%00=1")["c"] == "1")
        for query in ["q=%0%000", "q=%00%0%000"] { #expect(FormFields(query: query)["q"] == nil, "\(query)") }
    }

    @Test func fieldsAfterTheLargestNumberOfAQueryAreIgnored() {
        let query = (0..<100).map { "&f\($0)=\($0)" }.joined()
        let fields = FormFields(query: query)
        #expect(fields["f0"] == "0" && fields["f63"] == "63" && fields["f64"] == nil && fields["f99"] == nil)
    }

    @Test func formFieldsAreSplitByBytes() {
        // A combining mark forms one character with the "&" or "=" before it.
        let fields = FormFields("a=1&\u{301}b=2&c=\u{301}x&d==&=e&&%zz=1&f=\u{1F600}")
        #expect(fields["a"] == "1" && fields["\u{301}b"] == "2" && fields["c"] == "\u{301}x")
        #expect(fields["d"] == "=" && fields[""] == "e" && fields["%zz"] == nil && fields["f"] == "😀")
        #expect(FormFields(Array("a=x".utf8) + [0xFF] + Array("&b=%ff&c=1".utf8), atMost: 3)?["c"] == "1")
        #expect(FormFields("a=\r\r\n\n%0D%0A%0D")["a"] == "\r\n\n\n\r", "only CRLF becomes LF")
    }

    @Test func fieldsWithLongRunsOfMarksAreLeftOut() {
        let (most, more) = (String(repeating: "%CC%81", count: 30), String(repeating: "%CC%81", count: 31))
        let accepted = FormFields("e\(most)=1&a=e\(most)")
        #expect(accepted["a"]?.unicodeScalars.count == 31 && !accepted.hasTooManyMarks)
        for text in ["e\(more)=1&b=2", "a=\(more)&b=2"] {
            let fields = FormFields(text)
            #expect(fields.queryString() == "?b=2" && fields.hasTooManyMarks)
        }
        let long = String(repeating: "%CC%81%CC%96", count: 50_000)
        let time = ContinuousClock().measure { #expect(FormFields("\(long)=1&a\(long)=2").queryString().isEmpty) }
        #expect(time < .seconds(5))
    }

    @Test func cookiesAreBoundToTheHostUnderHTTPS() {
        let cookie = Cookie(name: .csrf, value: "v", path: "/", maxAge: nil)
        #expect(cookie.header(isSecure: false) == "afterword-csrf=v; Path=/; HttpOnly; SameSite=Lax")
        #expect(cookie.header(isSecure: true).hasPrefix("__Host-afterword-csrf=v; "))
        let ofForm = Cookie(name: .device, value: "v", path: "/f/x", maxAge: 60).header(isSecure: true)
        #expect(ofForm == "__Secure-afterword-device=v; Path=/f/x; HttpOnly; SameSite=Lax; Secure; Max-Age=60")
        let framed = Cookie(name: .device, value: "v", path: "/f/x", maxAge: nil).header(isSecure: true, isFramed: true)
        #expect(framed.hasSuffix("SameSite=None; Secure; Partitioned"))
        #expect(cookie.header(isSecure: true, isFramed: true).hasSuffix("SameSite=Lax; Secure"))
        let plain = Cookies(["a=b; __Host-afterword-csrf=one; afterword-csrf=two"], isSecure: false)
        #expect(plain[.csrf] == "two")
        let secure = Cookies(["afterword-csrf=two", "__Host-afterword-csrf=one;x"], isSecure: true)
        #expect(secure[.csrf] == "one" && secure[.device] == nil)
        // Cookies with a wrong or missing prefix are ignored. Another host of the same domain could set the first two.
        let planted = Cookies(
            ["__Secure-afterword-session=x; afterword-csrf=y; __Host-afterword-device=z"], isSecure: true)
        #expect(planted[.session] == nil && planted[.csrf] == nil && planted[.device] == nil)
    }

    @Test func ownCookiesAreFoundAmongThousandsOfOthers() {
        let others = String(repeating: "a=b; ", count: 2_000)
        let own = "afterword-csrf=;\tafterword-session = x ; =y; afterword-lang; afterword-session=z;"
        let cookies = Cookies([others, others + own + others], isSecure: false)
        #expect(cookies[.session] == "x" && cookies[.csrf] == nil && cookies[.lang] == nil)
    }

    @Test func pathsAreMatchedWithTheirParameters() {
        let routes = [
            PageRoute("/"), PageRoute("/f/{code}"), PageRoute("/f/{code}/sent"),
        ]
        func found(_ path: String) -> String? {
            PageRoute.match(path, in: routes).map { "\($0.0.pattern) \($0.1["code"] ?? "")" }
        }
        #expect(found("/") == "/ ")
        #expect(found("/f/a%20b") == "/f/{code} a b")
        #expect(found("/f/x/sent") == "/f/{code}/sent x")
        for path in ["/f", "/f/", "/f/x/", "/f/%E0%28", "/g/x", "//"] { #expect(found(path) == nil, "\(path)") }
    }
}
