// An app writes one import: the values that calls take and give come along.
@_exported import Contract
@_exported import StrictJSON
