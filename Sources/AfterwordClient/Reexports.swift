// Re-exported so that apps need one import for requests and responses.
@_exported import Contract
@_exported import StrictJSON
