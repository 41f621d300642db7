/// The browser and the system of a `User-Agent`, as people call them.
public enum DeviceName {
    /// The order matters: most browsers also name those that they descend from.
    private static let browsers = [
        ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"), ("Firefox/", "Firefox"),
        ("FxiOS/", "Firefox"), ("CriOS/", "Chrome"), ("Chromium/", "Chromium"), ("Chrome/", "Chrome"),
        ("Safari/", "Safari"),
    ]
    private static let systems = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS", "ChromeOS"), ("Windows", "Windows"),
        ("Mac OS X", "macOS"), ("Linux", "Linux"),
    ]

    /// `Firefox, Windows`. Nil for programs that are no browser.
    public static func text(of userAgent: String) -> String? {
        // A browser's text is much shorter.
        let text = String(userAgent.prefix(1_000))
        guard text.hasPrefix("Mozilla/"), let browser = browsers.first(where: { text.contains($0.0) })?.1 else {
            return nil
        }
        guard let system = systems.first(where: { text.contains($0.0) })?.1 else { return browser }
        return "\(browser), \(system)"
    }
}
