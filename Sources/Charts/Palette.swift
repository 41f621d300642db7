/// The colors of charts. Charts have their own background, so dark pages don't affect them.
///
/// The text colors `ink` and `soft` have a contrast of at least 4.5 to 1 with the background (WCAG 2.2, 1.4.3). The
/// marks have at least 3 to 1 (1.4.11), so white lines on them are visible too.
enum Palette {
    static let background = "#ffffff"
    static let ink = "#1b2733"
    static let soft = "#4d5a66"
    static let line = "#7b8794"
    /// The background of a notice in place of a chart, and of an empty doughnut.
    static let quiet = "#f1f4f7"

    static let marks = [
        "#1f5fa8", "#a8500f", "#1f7a4d", "#6d3fa0", "#b3263e", "#0f7285", "#6b6a12", "#4a5560",
    ]

    /// The columns of a rating without groups.
    static let blue = marks[0]
    static let detractors = marks[4]
    static let passives = marks[7]
    static let promoters = marks[2]
}
