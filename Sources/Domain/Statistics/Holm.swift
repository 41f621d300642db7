/// Holm's correction for several comparisons at once.
///
/// S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979). If
/// no number changed, the probability that any adjusted p value is below 0.05 is at most 0.05, whatever the numbers have
/// to do with each other.
public enum Holm {
    /// The adjusted p values, in the same order.
    public static func adjusted(_ values: [Double]) -> [Double] {
        var adjusted = values
        var largest = 0.0
        for (place, index) in values.indices.sorted(by: { values[$0] < values[$1] }).enumerated() {
            largest = max(largest, min(1, Double(values.count - place) * values[index]))
            adjusted[index] = largest
        }
        return adjusted
    }
}
