/** Returns the code that the system or a driver set on an error, such as `ENOSPC`, or undefined if the error has no code. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}
