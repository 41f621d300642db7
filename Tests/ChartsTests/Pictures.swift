import Charts
import Domain
import Testing

@Suite struct Pictures {}
