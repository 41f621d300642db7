#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The same readers for members that must be there: `required` (422) when missing or null.
extension ObjectReader {
    public func requiredValue(_ name: String) -> JSONValue? {
        require(name)
        return value(name)
    }

    public func requiredString(_ name: String) -> String? {
        require(name)
        return string(name)
    }

    public func requiredInt(_ name: String) -> Int? {
        require(name)
        return int(name)
    }

    public func requiredDouble(_ name: String) -> Double? {
        require(name)
        return double(name)
    }

    public func requiredBool(_ name: String) -> Bool? {
        require(name)
        return bool(name)
    }

    public func requiredDate(_ name: String) -> Date? {
        require(name)
        return date(name)
    }

    public func requiredObject(_ name: String) -> ObjectReader? {
        require(name)
        return object(name)
    }

    public func requiredArray(_ name: String) -> [JSONValue]? {
        require(name)
        return array(name)
    }
}
