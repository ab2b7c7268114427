/**
 * Copies a text to the clipboard in the handler of a key press or a click. The page cannot use the Clipboard API,
 * because its permissions policy denies all features. Throws if the browser does not allow copying.
 */
export function copyText(content: string): void {
  const field = document.createElement('textarea');
  field.value = content;
  field.setAttribute('readonly', '');
  field.className = 'sr';
  const before = document.activeElement;
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  if (!isCopied) throw new Error('the browser does not allow copying');
}
