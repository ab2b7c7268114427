/** The oldest supported version of Node, the same as `engines` in `package.json`. */
const OLDEST = [22, 19] as const;

/** Returns an error for the operator if this version of Node is too old. Returns undefined if the version is supported. */
export function unsupportedNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isSupported = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
  if (isSupported) return undefined;
  return `image-bridge requires Node ${OLDEST.join('.')} or newer; this is Node ${version}.`;
}
