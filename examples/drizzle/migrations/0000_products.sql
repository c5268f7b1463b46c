CREATE TABLE "products" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"stock" integer NOT NULL
);
--> statement-breakpoint
INSERT INTO "products" VALUES ('tea', 'Tea', 5), ('cup', 'Cup', 1);
