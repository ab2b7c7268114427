import { CircleAlert, CircleCheck, Info, X } from 'lucide';
import { Button, Icon, IconButton } from '../controls/button.tsx';
import { usePage } from '../page-context.ts';
import { text } from '../text/text.ts';
import type { Toast } from './toasts.ts';
import './toast-list.css';

const ICONS = { done: CircleCheck, failed: CircleAlert, refused: Info } as const;

export function ToastList() {
  const { toasts } = usePage();
  return (
    <div class="toast-list" aria-live="polite">
      {toasts.list.value.map((toast) => (
        <ToastLine key={toast.id} toast={toast} onClose={() => toasts.close(toast.id)} />
      ))}
    </div>
  );
}

function ToastLine({ toast, onClose }: { readonly toast: Toast; readonly onClose: () => void }) {
  const failed = toast.kind === 'failed';
  const { action } = toast;
  return (
    <div
      class={`toast float row ${toast.kind}`}
      role={failed ? 'alert' : undefined}
      onAnimationEnd={({ animationName }) => animationName === 'stay' && onClose()}
    >
      <Icon of={ICONS[toast.kind]} class={failed ? 'bad' : 'soft'} />
      <p class="grow">
        {toast.text}
        {toast.detail && <small>{toast.detail}</small>}
      </p>
      {action && (
        <Button
          look="quiet"
          size="small"
          onClick={() => {
            onClose();
            action.run();
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton small icon={X} label={text('action.close')} onClick={onClose} />
    </div>
  );
}
