/** The oldest supported version of Node, as `engines` in `package.json` says. */
const OLDEST = [22, 19] as const;

/** One sentence for the operator when this version of Node is too old; undefined when it is supported. */
export function unsupportedNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isSupported = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
  if (isSupported) return undefined;
  return `image-bridge needs Node ${OLDEST.join('.')} or newer; this is Node ${version}.`;
}
