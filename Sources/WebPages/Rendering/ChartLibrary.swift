import Foundation

/// Chart.js, as Debian packages it: it is served with our own files and is not one of them.
public enum ChartLibrary {
    /// What it is served as.
    static let name = "chart.js"
    public static let path = "/usr/share/javascript/chart.js/chart.min.js"
    public static let package = "libjs-chart.js"

    public static func isThere(at path: String = path) -> Bool { FileManager.default.isReadableFile(atPath: path) }
}
