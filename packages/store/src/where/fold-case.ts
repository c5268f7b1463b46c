/**
 * The simple case folding of Unicode 17 (mappings C and S of CaseFolding.txt; of a class of equal characters, one
 * stands for all). The table is part of this package so that processes on different versions of Node mean the same by
 * it. A range is its first code point, how many follow, the step between them, and the distance to their folded forms,
 * in base 36.
 *
 * @see https://www.unicode.org/Public/17.0.0/ucd/CaseFolding.txt
 */
const ranges =
  '1t p 1 w,5c m 1 w,60 6 1 w,74 n 2 1,8i 2 2 1,8p 7 2 1,96 m 2 1,ag 0 1 -3d,ah 2 2 1,an 0 1 -7g,ap 0 1 5u,' +
  'aq 1 2 1,au 0 1 5q,av 0 1 1,ax 1 1 5p,az 0 1 1,b2 0 1 27,b3 0 1 5m,b4 0 1 5n,b5 0 1 1,b7 0 1 5p,b8 0 1 5r,' +
  'ba 0 1 5v,bb 0 1 5t,bc 0 1 1,bg 0 1 5v,bh 0 1 5x,bj 0 1 5y,bk 2 2 1,bq 0 1 62,br 0 1 1,bt 0 1 62,bw 0 1 1,' +
  'by 0 1 62,bz 0 1 1,c1 1 1 61,c3 1 2 1,c7 0 1 63,c8 0 1 1,cc 0 1 1,ck 0 1 2,cl 0 1 1,cn 0 1 2,co 0 1 1,cq 0 1 2,' +
  'cr 8 2 1,da 8 2 1,dt 0 1 2,du 1 2 1,dy 0 1 -2p,dz 0 1 -1k,e0 j 2 1,f4 0 1 -3m,f6 8 2 1,fu 0 1 8bv,fv 0 1 1,' +
  'fx 0 1 -4j,fy 0 1 8bs,g1 0 1 1,g3 0 1 -5f,g4 0 1 1x,g5 0 1 1z,g6 4 2 1,og 1 2 1,om 0 1 1,ov 0 1 38,p2 0 1 12,' +
  'p4 2 1 11,p8 0 1 1s,pa 1 1 1r,pd 7 1 w,pl 0 1 -2c,pm 1 1 w,po 0 1 -kn,pp 4 1 w,pv 0 1 v,pw 7 1 w,qh 0 1 -38,' +
  'qk 0 1 -lj,qr 0 1 -1,r3 0 1 8,r4 0 1 -u,r5 0 1 -p,r9 0 1 -f,ra 0 1 -m,rc b 2 1,s0 0 1 -1i,s1 0 1 -1c,' +
  's4 0 1 -1o,s5 0 1 -1s,s7 0 1 1,s9 0 1 -7,sa 0 1 1,sd 2 1 -3m,sg f 1 28,sw v 1 w,v4 g 2 1,wa q 2 1,xs 0 1 f,' +
  'xt 6 2 1,y8 1b 2 1,10x 11 1 1c,3a8 11 1 5ls,3bb 0 1 5ls,3bh 0 1 5ls,3vk 27 1 tzk,3xs 5 1 8,5mo 0 1 -4su,' +
  '5mp 0 1 -4st,5mq 0 1 -4sk,5mr 1 1 -4si,5mt 0 1 -4sj,5mu 0 1 -4sc,5mv 0 1 -4ro,5mx 0 1 1,5n4 16 1 -2bk,' +
  '5od 2 1 -2bk,5xc 22 2 1,61n 0 1 -1m,61q 0 1 -5vj,61s 1b 2 1,64o 7 1 -8,654 5 1 -8,65k 7 1 -8,660 7 1 -8,' +
  '66g 5 1 -8,66x 3 2 -8,67c 7 1 -8,688 7 1 -8,68o 7 1 -8,694 7 1 -8,69k 1 1 -8,69m 1 1 -22,69o 0 1 -9,' +
  '69q 0 1 -5mh,6a0 3 1 -2e,6a4 0 1 -9,6ag 1 1 -8,6ai 1 1 -2s,6aw 1 1 -8,6ay 1 1 -34,6b0 0 1 -7,6bc 1 1 -3k,' +
  '6be 1 1 -3i,6bg 0 1 -9,6jq 0 1 -5st,6ju 0 1 -6gv,6jv 0 1 -6di,6k2 0 1 s,6lc f 1 g,6mb 0 1 1,792 p 1 q,' +
  '8ow 1b 1 1c,8rk 0 1 1,8rm 0 1 -8af,8rn 0 1 -2xy,8ro 0 1 -89z,8rr 2 2 1,8rx 0 1 -8bg,8ry 0 1 -8al,8rz 0 1 -8bj,' +
  '8s0 0 1 -8bi,8s2 0 1 1,8s5 0 1 1,8se 1 1 -8cf,8sg 1d 2 1,8vf 1 2 1,8vm 0 1 1,wu8 4 2 1,wui 0 1 -r7m,' +
  'wuj 0 1 -r7n,wuk g 2 1,ww0 d 2 1,x0i 6 2 1,x0y u 2 1,x2x 1 2 1,x31 0 1 -r9g,x32 4 2 1,x3f 0 1 1,x3h 0 1 -wmg,' +
  'x3k 1 2 1,x3q 9 2 1,x4a 0 1 -wn8,x4b 0 1 -wnj,x4c 0 1 -wnf,x4d 0 1 -wn5,x4e 0 1 -wn8,x4g 0 1 -wlu,x4h 0 1 -wmi,' +
  'x4i 0 1 -wlx,x4j 0 1 ps,x4k 7 2 1,x50 0 1 -1c,x51 0 1 -wn7,x52 0 1 -raw,x53 1 2 1,x57 0 1 -wo7,x58 7 2 1,' +
  'x5o 0 1 -wu9,x6d 0 1 1,1ee9 p 1 w,1fcw 13 1 14,1fhs z 1 14,1fn4 a 1 13,1fng e 1 13,1fnw 6 1 13,1fo4 1 1 13,' +
  '1h1c 1e 1 1s,1h74 l 1 w,1jfk v 1 w,20cg v 1 w,20f4 o 1 r,2olc x 1 y';

const folds = new Map<string, string>();

/** The characters that become a character, besides itself. */
const variants = new Map<string, readonly string[]>();

for (const range of ranges.split(',')) {
  const [first = 0, count = 0, step = 0, distance = 0] = range.split(' ').map((part) => Number.parseInt(part, 36));
  for (let point = first; point <= first + count * step; point += step) {
    const folded = String.fromCodePoint(point + distance);
    folds.set(String.fromCodePoint(point), folded);
    variants.set(folded, [...(variants.get(folded) ?? []), String.fromCodePoint(point)]);
  }
}

const foldable = new RegExp(`[${[...folds.keys()].join('')}]`, 'gu');

/**
 * Converts a text so that letters which differ only in case become the same. Each character becomes one character, in
 * every language: `Ä` and `ä` are the same, `ß` and `ss` are not.
 */
export function foldCase(text: string): string {
  return text.replace(foldable, (character) => folds.get(character) ?? character);
}

/** Lists the other characters that {@link foldCase} converts to a character. */
export function caseVariants(folded: string): readonly string[] {
  return variants.get(folded) ?? [];
}
