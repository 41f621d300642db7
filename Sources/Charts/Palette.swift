/// The colours of pictures, on a background of their own, so that a dark page changes nothing.
///
/// Ink and soft are read as text: at least 4.5 to 1 on the background. Marks are at least 3 to 1 (WCAG 2.2, 1.4.3 and
/// 1.4.11), and dark enough for white lines on them to be seen.
enum Palette {
    static let background = "#ffffff"
    static let ink = "#1b2733"
    static let soft = "#4d5a66"
    static let line = "#7b8794"
    /// Behind a sentence in place of a chart.
    static let quiet = "#f1f4f7"

    static let marks = [
        "#1f5fa8", "#a8500f", "#1f7a4d", "#6d3fa0", "#b3263e", "#0f7285", "#6b6a12", "#4a5560",
    ]

    static let blue = marks[0]
    static let detractors = marks[4]
    static let passives = marks[7]
    static let promoters = marks[2]
}
