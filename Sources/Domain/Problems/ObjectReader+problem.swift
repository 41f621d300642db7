import StrictJSON

extension ObjectReader {
    /// Finishes the reader. Throws all faults as one problem, including those for members that were never read.
    public func requireNoFaults() throws(Problem) {
        let faults = finish()
        guard faults.isEmpty else { throw Problem(faults) }
    }

    /// Finishes the reader and returns a value that it read. Throws all faults as one problem. If the value is nil,
    /// there must be a fault.
    public func requireNoFaults<Value>(reading value: Value?) throws(Problem) -> Value {
        let faults = finish()
        guard let value, faults.isEmpty else { throw Problem(faults) }
        return value
    }
}
