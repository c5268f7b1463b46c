import type { ReactElement } from 'react';
import { encode } from 'uqr';

/** Draws a text as a QR code: dark on light in any scheme, as cameras expect it. */
export function QrCode(props: { readonly text: string; readonly label: string }): ReactElement {
  const { data, size } = encode(props.text, { border: 2 });
  const squares = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')));
  return (
    <svg role="img" aria-label={props.label} viewBox={`0 0 ${size} ${size}`} className="qr-code">
      <rect width={size} height={size} fill="#fff" />
      <path d={squares.join('')} fill="#000" />
    </svg>
  );
}
