/** Returns the value of a JSON text, or undefined if the text is not JSON. The error is dropped because it quotes the text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
