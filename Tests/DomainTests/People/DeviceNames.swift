import Domain
import Testing

/// The names of sessions' devices.
@Suite struct DeviceNames {
    @Test(
        arguments: [
            ("Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0", "Firefox, Windows"),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
                    + "Version/17.5 Mobile/15E148 Safari/604.1", "Safari, iPhone"
            ),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) "
                    + "Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0", "Edge, macOS"
            ),
            (
                "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/25.0 "
                    + "Chrome/121.0.0.0 Mobile Safari/537.36", "Samsung Internet, Android"
            ),
            ("Mozilla/5.0 Firefox/1", "Firefox"),
        ])
    func browsersAreNamedWithTheirSystem(userAgent: String, name: String) {
        #expect(DeviceName.text(of: userAgent) == name)
    }

    @Test(arguments: [
        "", "curl/8.5.0", "Mozilla/5.0", "<script>Firefox/1</script>", String(repeating: "x", count: 5_000),
    ])
    func otherProgramsHaveNoName(userAgent: String) {
        #expect(DeviceName.text(of: userAgent) == nil)
    }
}
