CREATE TABLE "products" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "stock" INTEGER NOT NULL,

    CONSTRAINT "products_pkey" PRIMARY KEY ("id")
);
INSERT INTO "products" VALUES ('tea', 'Tea', 5), ('cup', 'Cup', 1);
